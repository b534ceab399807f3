// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A state as bytes: "SFCR", version, the creature's hash, all numbers little-endian in one order for both ways, and a
// hash of it all. What is read is checked number by number before the caller's memory is touched: the hash says that
// bytes have changed, not that nobody made them up.

#include "creature/creature.h"

#define SAVE_MAGIC 0x52434653u
#define SAVE_VERSION 3u
#define HEAD_SIZE ((size_t)16)
#define TAIL_SIZE ((size_t)8)
// Numbers without a unit of their own are held to this [SI].
#define WILD 1e9

// Goes over the numbers of a state, to or from bytes.
typedef struct cursor
{
    unsigned char* out; // null: reading, or counting alone
    const unsigned char* in;
    size_t at;
    bool dry; // reading for the checks alone, into spare room
    bool bad;
} cursor;

static void word(cursor* c, uint64_t* x, int bytes)
{
    if (c->out != NULL)
        for (int k = 0; k < bytes; ++k)
            c->out[c->at + (size_t)k] = (unsigned char)(*x >> 8 * k);
    else if (c->in != NULL)
    {
        *x = 0;
        for (int k = 0; k < bytes; ++k)
            *x |= (uint64_t)c->in[c->at + (size_t)k] << 8 * k;
    }
    c->at += (size_t)bytes;
}

static void number(cursor* c, double* x, double most)
{
    uint64_t bits;
    memcpy(&bits, x, sizeof bits);
    word(c, &bits, 8);
    if (c->in == NULL) return;
    memcpy(x, &bits, sizeof bits);
    if (!(fabs(*x) <= most)) c->bad = true;
}

static void integer(cursor* c, int64_t* x, int64_t lo, int64_t hi)
{
    uint64_t bits = (uint64_t)*x;
    word(c, &bits, 8);
    if (c->in == NULL) return;
    // Two's complement, spelled out.
    *x = bits <= INT64_MAX ? (int64_t)bits : -(int64_t)(UINT64_MAX - bits) - 1;
    if (*x < lo || *x > hi) c->bad = true;
}

static void small(cursor* c, int32_t* x, int32_t lo, int32_t hi)
{
    int64_t wide = *x;
    integer(c, &wide, lo, hi);
    if (c->in != NULL && !c->bad) *x = (int32_t)wide;
}

static void flag(cursor* c, bool* x)
{
    int64_t wide = *x ? 1 : 0;
    integer(c, &wide, 0, 1);
    if (c->in != NULL) *x = wide == 1;
}

static void place3(cursor* c, sft_v3d* v, double most)
{
    number(c, &v->x, most);
    number(c, &v->y, most);
    number(c, &v->z, most);
}

static void rotation(cursor* c, sft_quatd* q)
{
    number(c, &q->x, 1.1);
    number(c, &q->y, 1.1);
    number(c, &q->z, 1.1);
    number(c, &q->w, 1.1);
    if (c->in != NULL && !(fabs(sft_quatd_dot(*q, *q) - 1) < 1e-6)) c->bad = true;
}

// Zero or a unit vector.
static void direction(cursor* c, sft_v3d* v)
{
    place3(c, v, 1.1);
    const double square = sft_v3d_dot(*v, *v);
    if (c->in != NULL && square != 0 && !(fabs(square - 1) < 1e-6)) c->bad = true;
}

static void walk_body(cursor* c, const sft_creature* creature, sft_creature_body* body)
{
    place3(c, &body->place.t, 2 * SFT_HUGE);
    rotation(c, &body->place.r);
    place3(c, &body->velocity, SFT_HUGE);
    number(c, &body->turn, SFT_HUGE);
    place3(c, &body->pace, SFT_HUGE);
    int32_t gait = (int32_t)body->gait;
    small(c, &gait, 0, SFT_GAIT_COUNT - 1);
    if (c->in != NULL && !c->bad)
    {
        body->gait = (sft_gait)gait;
        if (creature->turns[gait] == 0) c->bad = true;
    }
    const int32_t turns = creature->turns[body->gait];
    small(c, &body->group, -1, turns - 1);
    small(c, &body->last_group, 0, turns - 1);
    integer(c, &body->step, 0, INT64_MAX / 2);
    number(c, &body->speed_limit, WILD);
    place3(c, &body->push_refused, 2 * SFT_HUGE);
    flag(c, &body->blocked);
    flag(c, &body->moving);
    double* rest[] = {&body->stood,       &body->bob_weight, &body->bob_phase, &body->bob_given,
                      &body->spine_given, &body->aim_yaw,    &body->aim_pitch, &body->tail_bend};
    for (size_t k = 0; k < SFT_COUNT_OF(rest); ++k)
        number(c, rest[k], WILD);
    place3(c, &body->head, WILD);
}

static void walk_foot(cursor* c, sft_creature_foot* foot)
{
    sft_v3d* places[] = {&foot->position, &foot->from, &foot->over, &foot->to};
    for (size_t k = 0; k < SFT_COUNT_OF(places); ++k)
        place3(c, places[k], WILD);
    rotation(c, &foot->rotation);
    rotation(c, &foot->from_rotation);
    rotation(c, &foot->to_rotation);
    direction(c, &foot->normal);
    direction(c, &foot->to_normal);
    small(c, &foot->body, INT32_MIN, INT32_MAX);
    small(c, &foot->to_body, INT32_MIN, INT32_MAX);
    flag(c, &foot->swinging);
    flag(c, &foot->stepped);
    flag(c, &foot->standing);
    number(c, &foot->time, 1);
    if (c->in != NULL && !(foot->time >= 0 && foot->time < 1)) c->bad = true;
    small(c, &foot->wait, -1, 1000);
    integer(c, &foot->steps, 0, INT64_MAX / 2);
}

// The whole state: one order for size, checks, writing and reading.
static void walk(cursor* c, const sft_creature* creature, sft_creature_state* state)
{
    walk_body(c, creature, &state->body);
    double* own = &state->clock;
    const size_t count = (sizeof *state - offsetof(sft_creature_state, clock)) / sizeof(double);
    for (size_t k = 0; k < count; ++k)
        number(c, &own[k], WILD);
    if (c->in != NULL && !(fabs(sft_quatd_dot(state->level, state->level) - 1) < 1e-6)) c->bad = true;
    if (c->in != NULL && !(fabs(state->heading) <= SFT_PI + 1e-9)) c->bad = true;
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
    {
        sft_creature_foot spare = {.steps = 0};
        sft_ik_bend spare_bend = {{0, 0, 0}, {0, 0, 0}};
        sft_creature_foot* foot = c->dry ? &spare : &sft_creature_feet(state)[l];
        sft_ik_bend* bend = c->dry ? &spare_bend : &sft_creature_bends(creature, state)[l];
        walk_foot(c, foot);
        direction(c, &bend->axis);
        direction(c, &bend->bend);
        // Whose turn it is not is not in the air.
        if (c->in != NULL && foot->swinging && creature->def.legs[l].group[state->body.gait] != state->body.group)
            c->bad = true;
    }
    for (int32_t j = 0; j < creature->skeleton->joint_count; ++j)
    {
        sft_v3d spare = {0, 0, 0};
        sft_quatd spare_turn = {0, 0, 0, 1};
        place3(c, c->dry ? &spare : &sft_creature_local_t(creature, state)[j], WILD);
        rotation(c, c->dry ? &spare_turn : &sft_creature_local_r(creature, state)[j]);
    }
}

size_t sft_creature_save_size(const sft_creature* creature)
{
    if (creature == NULL) return 0;
    sft_creature_state spare;
    memset(&spare, 0, sizeof spare);
    cursor c = {.dry = true};
    walk(&c, creature, &spare);
    return HEAD_SIZE + c.at + TAIL_SIZE;
}

sft_result sft_creature_save(const sft_creature* creature, const sft_creature_state* state, void* bytes, size_t size)
{
    if (creature == NULL || state == NULL || bytes == NULL) return SFT_ERR_ARG;
    if (state->magic != SFT_CREATURE_MAGIC || state->creature != creature->hash) return SFT_ERR_ARG;
    const size_t all = sft_creature_save_size(creature);
    if (size < all) return SFT_ERR_MEMORY;
    cursor c = {.out = bytes};
    uint64_t magic = SAVE_MAGIC, version = SAVE_VERSION, hash = creature->hash;
    word(&c, &magic, 4);
    word(&c, &version, 4);
    word(&c, &hash, 8);
    walk(&c, creature, sft_creature_plain(state));
    uint64_t sum = sft_core_hash(SFT_HASH_SEED, bytes, c.at);
    word(&c, &sum, 8);
    return SFT_OK;
}

sft_result sft_creature_restore(const sft_creature* creature, const void* bytes, size_t byte_count, void* memory,
                                size_t size, sft_creature_state** state)
{
    if (creature == NULL || bytes == NULL || memory == NULL || state == NULL) return SFT_ERR_ARG;
    if (byte_count < HEAD_SIZE + TAIL_SIZE) return SFT_ERR_SYNTAX;
    uint64_t magic = 0, version = 0, hash = 0, sum = 0;
    cursor end = {.in = bytes, .at = byte_count - TAIL_SIZE};
    word(&end, &sum, 8);
    cursor c = {.in = bytes, .dry = true};
    word(&c, &magic, 4);
    word(&c, &version, 4);
    word(&c, &hash, 8);
    if (magic != SAVE_MAGIC || sum != sft_core_hash(SFT_HASH_SEED, bytes, byte_count - TAIL_SIZE))
        return SFT_ERR_SYNTAX;
    if (version != SAVE_VERSION || hash != creature->hash) return SFT_ERR_UNSUPPORTED;
    if (byte_count != sft_creature_save_size(creature)) return SFT_ERR_SYNTAX;
    sft_creature_state spare;
    memset(&spare, 0, sizeof spare);
    walk(&c, creature, &spare);
    if (c.bad) return SFT_ERR_SYNTAX;
    if (size < creature->state_size) return SFT_ERR_MEMORY;
    sft_creature_state* made = memory;
    memset(made, 0, creature->state_size);
    made->magic = SFT_CREATURE_MAGIC;
    made->creature = creature->hash;
    c = (cursor){.in = bytes, .at = HEAD_SIZE};
    walk(&c, creature, made);
    *state = made;
    return SFT_OK;
}
