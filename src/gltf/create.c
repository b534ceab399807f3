// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A fresh document from a skeleton: nodes, skins with inverse bind matrices, one scene. It is put together as a GLB and
// read like any other, so that there is one way only for a document to come about.
//
// The skeleton's rest pose is the bind pose. Joints of a skin must hang together, so each root has a skin of its own.

#include "gltf/gltf.h"

// Beyond this a float32 matrix could not hold the bind pose [m].
#define MOST 1e30

#define STR2(x) #x
#define STR(x) STR2(x)
#define GENERATOR "surefoot " STR(SFT_VERSION_MAJOR) "." STR(SFT_VERSION_MINOR) "." STR(SFT_VERSION_PATCH)

typedef struct making
{
    const sft_skeleton* skeleton;
    const char* const* node_extras;
    const char* asset_extras;
    sft_allocator allocator;
    int32_t* children; ///< of all joints, grouped by parent; roots last
    int32_t* first;    ///< [joint_count + 2] where each group starts
    sft_xformd* model; ///< rest pose
    sft_json_out text;
} making;

static void put(making* m, const char* text)
{
    sft_json_out_text(&m->text, text);
}

static void put_doubles(making* m, const char* key, const double* values, int count)
{
    put(m, key);
    for (int i = 0; i < count; ++i)
    {
        put(m, i == 0 ? "[" : ",");
        sft_json_out_double(&m->text, values[i]);
    }
    put(m, "]");
}

static void put_indices(making* m, const int32_t* indices, int32_t count)
{
    put(m, "[");
    for (int32_t i = 0; i < count; ++i)
    {
        put(m, i == 0 ? "" : ",");
        sft_json_out_int64(&m->text, indices[i]);
    }
    put(m, "]");
}

// An End Site has no name of its own.
static void put_name(making* m, int32_t joint)
{
    const sft_skeleton* s = m->skeleton;
    const char* name = s->names[joint];
    const size_t length = strlen(name);
    put(m, "{\"name\":");
    if ((s->flags[joint] & SFT_JOINT_END_SITE) == 0)
    {
        sft_json_out_string(&m->text, name, length);
        return;
    }
    char* longer = sft_core_alloc(&m->allocator, length + 5, 1);
    if (longer == NULL)
    {
        m->text.failed = true;
        return;
    }
    memcpy(longer, name, length);
    memcpy(longer + length, "_end", 5);
    sft_json_out_string(&m->text, longer, length + 4);
    sft_core_free(&m->allocator, longer, length + 5, 1);
}

static void put_node(making* m, int32_t joint)
{
    const sft_skeleton* s = m->skeleton;
    const sft_v3d t = s->rest_translations[joint];
    const sft_quatd r = s->rest_rotations[joint];
    const double translation[3] = {t.x, t.y, t.z}, rotation[4] = {r.x, r.y, r.z, r.w};
    const int32_t first = m->first[joint], count = m->first[joint + 1] - first;
    put_name(m, joint);
    if (count > 0) put(m, ",\"children\":");
    if (count > 0) put_indices(m, m->children + first, count);
    if (t.x != 0.0 || t.y != 0.0 || t.z != 0.0) put_doubles(m, ",\"translation\":", translation, 3);
    if (r.x != 0.0 || r.y != 0.0 || r.z != 0.0) put_doubles(m, ",\"rotation\":", rotation, 4);
    if (m->node_extras != NULL && m->node_extras[joint] != NULL)
    {
        put(m, ",\"extras\":");
        put(m, m->node_extras[joint]);
    }
    put(m, "}");
}

// Joints below one root: the tree from it, parents first.
static int32_t gather(const making* m, int32_t root, int32_t* joints)
{
    int32_t count = 0;
    joints[count++] = root;
    for (int32_t at = 0; at < count; ++at)
        for (int32_t c = m->first[joints[at]]; c < m->first[joints[at] + 1]; ++c)
            joints[count++] = m->children[c];
    return count;
}

static float* put_inverse(const making* m, int32_t joint, float* out)
{
    const sft_xformd x = m->model[joint];
    const sft_quatd back = sft_quatd_conjugate(x.r);
    const sft_v3d t = sft_v3d_scale(-1.0, sft_quatd_rotate(back, x.t));
    const sft_v3d column[4] = {sft_quatd_rotate(back, sft_v3d_make(1, 0, 0)),
                               sft_quatd_rotate(back, sft_v3d_make(0, 1, 0)),
                               sft_quatd_rotate(back, sft_v3d_make(0, 0, 1)), t};
    for (int c = 0; c < 4; ++c)
    {
        // Adding zero turns -0 into 0: tidier, and the same number.
        *out++ = (float)column[c].x + 0.0f;
        *out++ = (float)column[c].y + 0.0f;
        *out++ = (float)column[c].z + 0.0f;
        *out++ = c == 3 ? 1.0f : 0.0f;
    }
    return out;
}

// Skins, and the accessors and the view of their matrices; `matrices` is filled on the way.
static void put_skins(making* m, int32_t* joints, float* matrices)
{
    const int32_t n = m->skeleton->joint_count, roots = m->first[n + 1] - m->first[n];
    put(m, ",\n\"skins\":[\n");
    for (int32_t r = 0; r < roots; ++r)
    {
        const int32_t count = gather(m, m->children[m->first[n] + r], joints);
        put(m, r == 0 ? "{\"inverseBindMatrices\":" : ",\n{\"inverseBindMatrices\":");
        sft_json_out_int64(&m->text, r);
        put(m, ",\"joints\":");
        put_indices(m, joints, count);
        put(m, "}");
        for (int32_t i = 0; i < count; ++i)
            matrices = put_inverse(m, joints[i], matrices);
    }
    put(m, "\n],\n\"accessors\":[\n");
    int64_t offset = 0;
    for (int32_t r = 0; r < roots; ++r)
    {
        const int32_t count = gather(m, m->children[m->first[n] + r], joints);
        put(m, r == 0 ? "{\"bufferView\":0" : ",\n{\"bufferView\":0");
        if (offset > 0) put(m, ",\"byteOffset\":");
        if (offset > 0) sft_json_out_int64(&m->text, offset);
        put(m, ",\"componentType\":5126,\"count\":");
        sft_json_out_int64(&m->text, count);
        put(m, ",\"type\":\"MAT4\"}");
        offset += 64 * (int64_t)count;
    }
    put(m, "\n],\n\"bufferViews\":[\n{\"buffer\":0,\"byteLength\":");
    sft_json_out_int64(&m->text, offset);
    put(m, "}\n],\n\"buffers\":[\n{\"byteLength\":");
    sft_json_out_int64(&m->text, offset);
    put(m, "}\n]\n}\n");
}

static void put_document(making* m, int32_t* joints, float* matrices)
{
    const int32_t n = m->skeleton->joint_count;
    put(m, "{\n\"asset\":{\"version\":\"2.0\",\"generator\":\"" GENERATOR "\"");
    if (m->asset_extras != NULL) put(m, ",\"extras\":");
    if (m->asset_extras != NULL) put(m, m->asset_extras);
    put(m, "},\n\"scene\":0,\n\"scenes\":[{\"nodes\":");
    put_indices(m, m->children + m->first[n], m->first[n + 1] - m->first[n]);
    put(m, "}],\n\"nodes\":[\n");
    for (int32_t j = 0; j < n; ++j)
    {
        put(m, j == 0 ? "" : ",\n");
        put_node(m, j);
    }
    put(m, "\n]");
    put_skins(m, joints, matrices);
}

// Children by parent, in the skeleton's order; the rest pose in model space.
static void lay_out(making* m)
{
    const sft_skeleton* s = m->skeleton;
    const int32_t n = s->joint_count;
    for (int32_t j = 0; j < n; ++j)
        ++m->first[(s->parents[j] < 0 ? n : s->parents[j]) + 1];
    for (int32_t j = 0; j <= n; ++j)
        m->first[j + 1] += m->first[j];
    // Backwards, so that each group's end serves as its cursor and becomes its start.
    for (int32_t j = n - 1; j >= 0; --j)
        m->children[--m->first[(s->parents[j] < 0 ? n : s->parents[j]) + 1]] = j;
    for (int32_t j = 0; j <= n; ++j)
        m->first[j] = m->first[j + 1];
    m->first[n + 1] = n;
    sft_skeleton_forward(s, s->rest_translations, s->rest_rotations, m->model);
}

static bool fits(const making* m)
{
    for (int32_t j = 0; j < m->skeleton->joint_count; ++j)
    {
        const sft_v3d t = m->model[j].t;
        const sft_quatd r = m->skeleton->rest_rotations[j];
        if (!(fabs(t.x) < MOST && fabs(t.y) < MOST && fabs(t.z) < MOST) || !(fabs(sft_quatd_dot(r, r) - 1.0) < 1e-6))
            return false;
    }
    return true;
}

static void put_u32(uint8_t* out, size_t value)
{
    for (int i = 0; i < 4; ++i)
        out[i] = (uint8_t)(value >> (8 * i));
}

static sft_result read_back(making* m, const float* matrices, size_t matrices_size, sft_gltf** out)
{
    while (!m->text.failed && m->text.size % 4 != 0)
        put(m, " ");
    if (m->text.failed) return SFT_ERR_MEMORY;
    const size_t size = 12 + 8 + m->text.size + 8 + matrices_size;
    if (size > UINT32_MAX) return SFT_ERR_LIMIT;
    uint8_t* glb = sft_core_alloc(&m->allocator, size, 1);
    if (glb == NULL) return SFT_ERR_MEMORY;
    memcpy(glb, "glTF\2\0\0\0", 8);
    put_u32(glb + 8, size);
    put_u32(glb + 12, m->text.size);
    memcpy(glb + 16, "JSON", 4);
    memcpy(glb + 20, m->text.data, m->text.size);
    uint8_t* bin = glb + 20 + m->text.size;
    put_u32(bin, matrices_size);
    memcpy(bin + 4, "BIN\0", 4);
    memcpy(bin + 8, matrices, matrices_size);
    const sft_result result = sft_gltf_read(NULL, glb, size, &m->allocator, out, NULL);
    sft_core_free(&m->allocator, glb, size, 1);
    return result;
}

// Joints of a document come depth first. Those of this one keep the order of its skeleton, so that the skeleton's clips
// fit.
static void order_joints(sft_gltf* gltf, const sft_skeleton* skeleton)
{
    for (int32_t j = 0; j < skeleton->joint_count; ++j)
    {
        gltf->joint_nodes[j] = gltf->node_joints[j] = j;
        gltf->joint_parents[j] = skeleton->parents[j];
    }
}

sft_result sft_gltf_create(const sft_skeleton* skeleton, const char* const* node_extras, const char* asset_extras,
                           const sft_allocator* allocator, sft_gltf** out)
{
    if (skeleton == NULL || out == NULL || skeleton->joint_count <= 0) return SFT_ERR_ARG;
    if (skeleton->joint_count > SFT_MAX_JOINTS) return SFT_ERR_LIMIT;
    const size_t n = (size_t)skeleton->joint_count;
    making m = {skeleton, node_extras, asset_extras, sft_core_allocator(allocator), NULL, NULL, NULL, {0}};
    m.text.allocator = &m.allocator;
    m.children = sft_core_alloc(&m.allocator, n, sizeof *m.children);
    m.first = sft_core_alloc(&m.allocator, n + 2, sizeof *m.first);
    m.model = sft_core_alloc(&m.allocator, n, sizeof *m.model);
    int32_t* joints = sft_core_alloc(&m.allocator, n, sizeof *joints);
    float* matrices = sft_core_alloc(&m.allocator, n, 64);
    sft_gltf* made = NULL;
    sft_result result = SFT_ERR_MEMORY;
    if (m.children != NULL && m.first != NULL && m.model != NULL && joints != NULL && matrices != NULL)
    {
        lay_out(&m);
        result = fits(&m) ? SFT_OK : SFT_ERR_RANGE;
        if (result == SFT_OK) put_document(&m, joints, matrices);
        if (result == SFT_OK) result = read_back(&m, matrices, 64 * n, &made);
    }
    sft_core_free(&m.allocator, m.children, n, sizeof *m.children);
    sft_core_free(&m.allocator, m.first, n + 2, sizeof *m.first);
    sft_core_free(&m.allocator, m.model, n, sizeof *m.model);
    sft_core_free(&m.allocator, joints, n, sizeof *joints);
    sft_core_free(&m.allocator, matrices, n, 64);
    sft_json_out_free(&m.text);
    if (result != SFT_OK) return result;
    order_joints(made, skeleton);
    *out = made;
    return SFT_OK;
}
