// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What the tests of conversions share.
#ifndef SUREFOOT_TESTS_SUPPORT_CONVERT_H
#define SUREFOOT_TESTS_SUPPORT_CONVERT_H

#include "support/support.h"

#include "surefoot/io.h"

#define CLOSE 1e-5 // [m] what a conversion may cost: 0.001 cm

// ---- plain forward kinematics ----

typedef struct mat
{
    double m[3][3], t[3];
} mat;

static inline mat mat_identity(void)
{
    return (mat){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
}

static inline mat mat_mul(const mat* a, const mat* b)
{
    mat out;
    for (int i = 0; i < 3; ++i)
    {
        out.t[i] = a->t[i];
        for (int k = 0; k < 3; ++k)
        {
            out.t[i] += a->m[i][k] * b->t[k];
            out.m[i][k] = a->m[i][0] * b->m[0][k] + a->m[i][1] * b->m[1][k] + a->m[i][2] * b->m[2][k];
        }
    }
    return out;
}

static inline mat mat_axis(int axis, double degrees)
{
    mat out = mat_identity();
    const double a = degrees * SFT_PI / 180.0;
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    out.m[u][u] = out.m[v][v] = cos(a);
    out.m[u][v] = -sin(a);
    out.m[v][u] = sin(a);
    return out;
}

// World transforms of all joints in a row of a BVH, file units; row -1: all channels zero but positions at OFFSET.
static inline void bvh_world(const sft_bvh_contents* v, int32_t row, mat* world)
{
    for (int32_t j = 0; j < v->joint_count; ++j)
    {
        const sft_bvh_joint* joint = &v->joints[j];
        mat local = mat_identity();
        const double offset[3] = {joint->offset.x, joint->offset.y, joint->offset.z};
        memcpy(local.t, offset, sizeof offset);
        for (int32_t c = 0; c < joint->channel_count && row >= 0; ++c)
        {
            const double value = v->values[row * v->channel_count + joint->channel_first + c];
            const int channel = joint->channels[c];
            if (channel < 3)
                local.t[channel] = (joint->positions_replace ? 0.0 : offset[channel]) + value;
            else
            {
                const mat turn = mat_axis(channel - 3, value);
                const double t[3] = {local.t[0], local.t[1], local.t[2]};
                memset(local.t, 0, sizeof local.t);
                local = mat_mul(&local, &turn);
                memcpy(local.t, t, sizeof t);
            }
        }
        world[j] = joint->parent < 0 ? local : mat_mul(&world[joint->parent], &local);
    }
}

static inline mat mat_of(sft_v3d t, sft_quatd q)
{
    return (mat){{{1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y - q.w * q.z), 2 * (q.x * q.z + q.w * q.y)},
                  {2 * (q.x * q.y + q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z - q.w * q.x)},
                  {2 * (q.x * q.z - q.w * q.y), 2 * (q.y * q.z + q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y)}},
                 {t.x, t.y, t.z}};
}

static inline void clip_world(const sft_skeleton* s, const sft_clip* clip, int32_t frame, mat* world)
{
    for (int32_t j = 0; j < s->joint_count; ++j)
    {
        const size_t at = (size_t)frame * (size_t)s->joint_count + (size_t)j;
        const mat local = mat_of(clip->translations[at], clip->rotations[at]);
        world[j] = s->parents[j] < 0 ? local : mat_mul(&world[s->parents[j]], &local);
    }
}

// File axes to Y up, written out here once more.
static inline void to_inside(double unit, int up, const double* p, double* out)
{
    const double x = p[0], y = p[1], z = p[2];
    const double turned[6][3] = {{-y, x, z}, {x, y, z}, {x, z, -y}, {y, -x, z}, {x, -y, -z}, {x, -z, y}};
    for (int i = 0; i < 3; ++i)
        out[i] = unit * turned[up][i];
}

static inline double distance(const double* a, const double* b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

// ---- documents ----

static const char small_bvh[] =
    "HIERARCHY\nROOT Hips\n{\n\tOFFSET 0 90.25 0\n\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
    "Yrotation\n\tJOINT Knee\n\t{\n\t\tOFFSET 0 -40.5 0.12345678901234567\n\t\tCHANNELS 1 Xrotation\n\t\tEnd "
    "Site\n\t\t{\n"
    "\t\t\tOFFSET 0 -39 5\n\t\t}\n\t}\n}\nMOTION\nFrames: 3\nFrame Time: .0333330\n0 90 1 2 3 4 5\n0 91 1 3 3 4 15\n"
    "1 90 1 4 3 4 25\n";

static inline sft_io_document* read_text(const void* bytes, size_t size)
{
    sft_io_document* document = NULL;
    sft_error error = {0};
    if (sft_io_read(NULL, bytes, size, NULL, &document, &error) != SFT_OK)
        fail_msg("%s\n%.2000s", error.message, (const char*)bytes);
    return document;
}

static inline sft_io_document* converted_with(const sft_io_document* from, const sft_io_convert_def* def)
{
    sft_io_document* to = NULL;
    sft_error error = {0};
    if (sft_io_convert(from, def, NULL, &to, NULL, &error) != SFT_OK) fail_msg("%s", error.message);
    return to;
}

static inline sft_io_document* converted(const sft_io_document* from, sft_io_format format)
{
    sft_io_convert_def def = sft_default_io_convert_def();
    def.format = format;
    return converted_with(from, &def);
}

// Through bytes, as files go.
static inline sft_io_document* reread(sft_io_document* document)
{
    void* bytes = NULL;
    size_t size = 0;
    sft_error error = {0};
    if (sft_io_write(document, SFT_IO_AUTO, NULL, &bytes, &size, &error) != SFT_OK) fail_msg("%s", error.message);
    const sft_io_format format = sft_io_view(document)->format;
    sft_io_destroy(document);
    sft_io_document* again = read_text(bytes, size);
    assert_int_equal(sft_io_view(again)->format, format);
    free(bytes);
    return again;
}

static inline const sft_bvh_contents* bvh_of(sft_io_document* document)
{
    const sft_bvh_contents* view = sft_bvh_view(sft_io_bvh(document));
    assert_non_null(view);
    return view;
}

#endif
