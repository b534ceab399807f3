// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Nodes: names, rest transforms, and what hangs on them. Matrices are taken apart into translation, rotation and scale;
// a mirror becomes a negative scale along x.

#include "gltf/read.h"

#include <float.h>
#include <math.h>

// Beyond this a rotation says it is one but is not [length from 1].
#define UNIT_EPS 1e-3
// Cosine between two columns of a matrix beyond which it shears; six printed digits leave 2e-6 of noise.
#define SHEAR_EPS 1e-5
// Shorter columns have no direction; squares of longer ones are no denormals.
#define TINY 1e-150

// ---- matrices ----

typedef struct columns
{
    sft_v3d c[3];
    double length[3];
} columns;

// A unit vector along a, of any length that is not tiny, at right angles to the unit vector `off` (null: any).
static bool unit_off(sft_v3d a, const sft_v3d* off, sft_v3d* out)
{
    const double length = sft_v3d_length(a);
    if (!(length > TINY)) return false;
    a = sft_v3d_scale(1.0 / length, a);
    if (off != NULL)
    {
        a = sft_v3d_madd(a, -sft_v3d_dot(a, *off), *off);
        const double left = sft_v3d_length(a);
        // Columns that lie along one another leave rounding noise, which is no direction.
        if (!(left > 1e-9)) return false;
        a = sft_v3d_scale(1.0 / left, a);
    }
    *out = a;
    return true;
}

// Axes of a right-handed frame along the columns, as far as they have a direction; x stands in for a mirror.
static void axes_of(const columns* m, double mirror, sft_v3d axes[3])
{
    const sft_v3d x = sft_v3d_scale(mirror, m->c[0]);
    if (unit_off(x, NULL, &axes[0]))
    {
        if (!unit_off(m->c[1], &axes[0], &axes[1]))
        {
            sft_v3d z;
            axes[1] = unit_off(m->c[2], &axes[0], &z) ? sft_v3d_cross(z, axes[0]) : sft_v3d_any_perp(axes[0]);
        }
        axes[2] = sft_v3d_cross(axes[0], axes[1]);
        return;
    }
    // No x: it follows from the others.
    if (unit_off(m->c[1], NULL, &axes[1]))
    {
        if (!unit_off(m->c[2], &axes[1], &axes[2])) axes[2] = sft_v3d_any_perp(axes[1]);
    }
    else if (unit_off(m->c[2], NULL, &axes[2]))
        axes[1] = sft_v3d_any_perp(axes[2]);
    else
    {
        axes[1] = sft_v3d_make(0, 1, 0);
        axes[2] = sft_v3d_make(0, 0, 1);
    }
    axes[0] = sft_v3d_cross(axes[1], axes[2]);
}

// Quaternion of a rotation matrix by its columns; the largest of w, x, y, z is found first so that nothing cancels.
static sft_quatd quat_of(const sft_v3d a[3])
{
    const double trace = a[0].x + a[1].y + a[2].z;
    sft_quatd q;
    if (trace > 0.0)
        q = (sft_quatd){a[1].z - a[2].y, a[2].x - a[0].z, a[0].y - a[1].x, 1.0 + trace};
    else if (a[0].x >= a[1].y && a[0].x >= a[2].z)
        q = (sft_quatd){1.0 + a[0].x - a[1].y - a[2].z, a[1].x + a[0].y, a[2].x + a[0].z, a[1].z - a[2].y};
    else if (a[1].y >= a[2].z)
        q = (sft_quatd){a[1].x + a[0].y, 1.0 + a[1].y - a[0].x - a[2].z, a[2].y + a[1].z, a[2].x - a[0].z};
    else
        q = (sft_quatd){a[2].x + a[0].z, a[2].y + a[1].z, 1.0 + a[2].z - a[0].x - a[1].y, a[0].y - a[1].x};
    return sft_quatd_normalize(q);
}

static double largest_shear(const columns* m)
{
    double largest = 0.0;
    for (int i = 0; i < 3; ++i)
    {
        const int j = (i + 1) % 3;
        if (m->length[i] > TINY && m->length[j] > TINY)
            largest = sft_maxd(largest, fabs(sft_v3d_dot(sft_v3d_scale(1.0 / m->length[i], m->c[i]),
                                                         sft_v3d_scale(1.0 / m->length[j], m->c[j]))));
    }
    return largest;
}

static void take_apart(gltf_reader* reader, int32_t index, size_t byte)
{
    gltf_node* node = &reader->gltf->nodes[index];
    const double* e = node->matrix;
    columns m;
    for (int i = 0; i < 3; ++i)
    {
        m.c[i] = sft_v3d_make(e[4 * i], e[4 * i + 1], e[4 * i + 2]);
        m.length[i] = sft_v3d_length(m.c[i]);
    }
    const double mirror = sft_v3d_dot(sft_v3d_cross(m.c[0], m.c[1]), m.c[2]) < 0.0 ? -1.0 : 1.0;
    sft_v3d axes[3];
    axes_of(&m, mirror, axes);
    node->t = sft_v3d_make(e[12], e[13], e[14]);
    node->r = quat_of(axes);
    node->s = sft_v3d_make(mirror * m.length[0], m.length[1], m.length[2]);
    if (largest_shear(&m) > SHEAR_EPS)
        sft_gltf_warn(
            reader->gltf, byte,
            "the matrix of %s shears, which translation, rotation and scale cannot hold; joints stand where it "
            "puts them, but it cannot be solved",
            sft_gltf_label(reader->gltf, index).text);
    if (e[3] != 0.0 || e[7] != 0.0 || e[11] != 0.0 || e[15] != 1.0)
        sft_gltf_warn(reader->gltf, byte, "the matrix of %s has a last row other than 0, 0, 0, 1; the row is left out",
                      sft_gltf_label(reader->gltf, index).text);
}

// ---- members ----

// Columns longer than this would overflow when multiplied with one another.
#define LARGEST 1e60

static sft_result read_numbers(const gltf_reader* reader, int32_t node, const gltf_member* member, double* out,
                               size_t count)
{
    const sft_gltf* gltf = reader->gltf;
    const sft_json_value value = member->value;
    const bool numbers = sft_json_doubles(gltf->json, value, out, count);
    bool fits = numbers;
    for (size_t i = 0; i < count && fits; ++i)
        fits = fabs(out[i]) <= LARGEST;
    if (fits) return SFT_OK;
    return sft_gltf_fail_node(gltf, reader->error, numbers ? SFT_ERR_RANGE : SFT_ERR_SYNTAX, value.start, node,
                              "the %s of %s must be %d numbers of sensible size; repair the values or export again",
                              member->key, sft_gltf_label(gltf, node).text, (int)count);
}

static sft_result read_rotation(gltf_reader* reader, int32_t index, const gltf_member* member)
{
    sft_gltf* gltf = reader->gltf;
    double q[4];
    const sft_result result = read_numbers(reader, index, member, q, 4);
    if (result != SFT_OK) return result;
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(length > 1e-6))
        return sft_gltf_fail_node(gltf, reader->error, SFT_ERR_RANGE, member->value.start, index,
                                  "the rotation of %s is a quaternion of no length; write 0, 0, 0, 1 for none",
                                  sft_gltf_label(gltf, index).text);
    if (fabs(length - 1.0) > UNIT_EPS)
        sft_gltf_warn(gltf, member->value.start,
                      "the rotation of %s is a quaternion of length %g; it is read as one of length 1",
                      sft_gltf_label(gltf, index).text, length);
    const double s = 1.0 / length;
    gltf->nodes[index].r = (sft_quatd){s * q[0], s * q[1], s * q[2], s * q[3]};
    return SFT_OK;
}

static sft_result read_vector(const gltf_reader* reader, int32_t index, const gltf_member* member, sft_v3d* out)
{
    double v[3];
    const sft_result result = read_numbers(reader, index, member, v, 3);
    if (result == SFT_OK) *out = sft_v3d_make(v[0], v[1], v[2]);
    return result;
}

static sft_result read_matrix(gltf_reader* reader, int32_t index, const gltf_member* member)
{
    double* matrix = sft_gltf_keep(reader->gltf, 16, sizeof *matrix);
    if (matrix == NULL) return sft_gltf_no_memory(reader->error);
    const sft_result result = read_numbers(reader, index, member, matrix, 16);
    if (result != SFT_OK) return result;
    reader->gltf->nodes[index].matrix = matrix;
    take_apart(reader, index, member->value.start);
    return SFT_OK;
}

enum
{
    NAME,
    MATRIX,
    TRANSLATION,
    ROTATION,
    SCALE,
    MESH,
    SKIN,
    CAMERA,
    EXTENSIONS,
    MEMBERS
};

static sft_result read_transform(gltf_reader* reader, int32_t index, const gltf_member* m)
{
    gltf_node* node = &reader->gltf->nodes[index];
    if (m[MATRIX].value.kind != SFT_JSON_NONE)
    {
        if (m[TRANSLATION].value.kind != SFT_JSON_NONE || m[ROTATION].value.kind != SFT_JSON_NONE ||
            m[SCALE].value.kind != SFT_JSON_NONE)
            sft_gltf_warn(reader->gltf, m[MATRIX].value.start,
                          "%s has a matrix beside translation, rotation or scale; the matrix is taken",
                          sft_gltf_label(reader->gltf, index).text);
        return read_matrix(reader, index, &m[MATRIX]);
    }
    sft_result result = SFT_OK;
    if (m[TRANSLATION].value.kind != SFT_JSON_NONE) result = read_vector(reader, index, &m[TRANSLATION], &node->t);
    if (result == SFT_OK && m[SCALE].value.kind != SFT_JSON_NONE)
        result = read_vector(reader, index, &m[SCALE], &node->s);
    if (result == SFT_OK && m[ROTATION].value.kind != SFT_JSON_NONE)
        result = read_rotation(reader, index, &m[ROTATION]);
    return result;
}

static sft_result read_node(gltf_reader* reader, int32_t index, sft_json_value value)
{
    sft_gltf* gltf = reader->gltf;
    gltf_member m[MEMBERS] = {GLTF_MEMBER("name"),     GLTF_MEMBER("matrix"), GLTF_MEMBER("translation"),
                              GLTF_MEMBER("rotation"), GLTF_MEMBER("scale"),  GLTF_MEMBER("mesh"),
                              GLTF_MEMBER("skin"),     GLTF_MEMBER("camera"), GLTF_MEMBER("extensions")};
    gltf_node* node = &gltf->nodes[index];
    char label[32];
    sft_core_format(label, sizeof label, "node %d", index);
    sft_result result = sft_gltf_members(reader, value, label, m, MEMBERS);
    if (result != SFT_OK) return result;
    node->value = gltf_keep_value(value);
    node->r = sft_quatd_identity();
    node->s = sft_v3d_make(1, 1, 1);
    node->parent = node->first_child = node->next_sibling = -1;
    node->mesh = sft_gltf_loose_index(gltf->json, m[MESH].value, INT32_MAX);
    node->skin = sft_gltf_loose_index(gltf->json, m[SKIN].value, gltf->skin_count);
    node->camera = sft_gltf_loose_index(gltf->json, m[CAMERA].value, INT32_MAX);
    const sft_json_value light = sft_json_get(gltf->json, m[EXTENSIONS].value, "KHR_lights_punctual");
    node->carries =
        m[MESH].value.kind != SFT_JSON_NONE || m[CAMERA].value.kind != SFT_JSON_NONE || light.kind != SFT_JSON_NONE;
    result = sft_gltf_text(reader, m[NAME].value, &node->name);
    return result == SFT_OK ? read_transform(reader, index, m) : result;
}

sft_result sft_gltf_read_nodes(gltf_reader* reader)
{
    sft_gltf* gltf = reader->gltf;
    sft_json_value list, skins;
    int32_t count = 0;
    sft_result result = sft_gltf_list(reader, "skins", 16 * reader->def.max_nodes, &skins, &gltf->skin_count);
    if (result == SFT_OK) result = sft_gltf_list(reader, "nodes", reader->def.max_nodes, &list, &count);
    if (result != SFT_OK) return result;
    gltf->nodes = sft_gltf_keep(gltf, (size_t)count, sizeof *gltf->nodes);
    if (gltf->nodes == NULL) return sft_gltf_no_memory(reader->error);
    gltf->node_count = count;
    for (sft_json_iter it = sft_json_iterate(gltf->json, list); sft_json_next(gltf->json, &it) && result == SFT_OK;)
        result = read_node(reader, (int32_t)it.index, it.value);
    return result;
}
