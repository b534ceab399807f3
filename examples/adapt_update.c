// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The loop of a game: a walk made for a level floor, whose feet slide a little, goes up and down stairs. Frame by frame
// the animation is sampled, toes are locked while they stand (sft_lock_update), and the feet are put on the ground with
// the pelvis between them (sft_adapt_update). Drawn as SVG on standard output: the picture of docs/adapt_update.md.
//
//     adapt_update > docs/images/adapt_update.svg
#include <stdio.h>
#include <string.h>

#include "sample/walker.h"

#define FRAMES 236
#define FPS 60.0
#define DRAWN_EVERY 8
#define SCALE 190.0
#define LEFT 20.0
#define BASE 400.0 // of the upper picture's floor

// ---- the world ----

static const double along[] = {1.2, 1.2, 1.55, 1.55, 1.9, 1.9, 3.0, 3.0, 3.35, 3.35, 3.7, 3.7};
static const double heights[] = {0.0, 0.15, 0.15, 0.3, 0.3, 0.45, 0.45, 0.3, 0.3, 0.15, 0.15, 0.0};
#define POINTS (int32_t)(sizeof along / sizeof along[0])

// ---- a character: what it carries from frame to frame ----

typedef struct character
{
    const walker* animation;
    sft_leg legs[2];
    sft_lock_state locks[2];
    sft_adapt_state body;
    sft_adapt_leg_state feet[2];
    sft_v3d t[WALKER_JOINTS]; // the pose of this frame
    sft_quatd r[WALKER_JOINTS];
    double scratch[1024];
    double toe_miss; // [m] largest so far
} character;

static bool is_planted(const character* c, int32_t leg, int32_t frame)
{
    return c->animation->labels.plant[leg * c->animation->labels.frame_count + frame] > 0.75f;
}

static void sample(character* c, int32_t frame)
{
    const sft_clip* clip = c->animation->clip;
    memcpy(c->t, clip->translations + (size_t)frame * WALKER_JOINTS, sizeof c->t);
    memcpy(c->r, clip->rotations + (size_t)frame * WALKER_JOINTS, sizeof c->r);
}

static bool update(character* c, int32_t frame, double dt, const sft_ground* ground)
{
    const sft_lock_def lock_def = sft_default_lock_def();
    const sft_adapt_def adapt_def = sft_default_adapt_def();
    sft_v3d toes[2];
    bool contacts[2];
    sample(c, frame);
    for (int32_t l = 0; l < 2; ++l)
    {
        contacts[l] = is_planted(c, l, frame);
        // The lock knows the animation's level floor; it says where the toe stands as seen from above.
        const sft_v3d toe = sft_skeleton_joint_model(c->animation->skeleton, c->t, c->r, c->legs[l].toe).t;
        const sft_lock_input in = {.toe = toe, .foot = {0, 0, 0, 1}, .contact = contacts[l], .contact_height = toe.y};
        if (sft_lock_update(&lock_def, &in, dt, &c->locks[l]) != SFT_OK) return false;
        toes[l] = c->locks[l].position;
    }
    const sft_adapt_input in = {
        .skeleton = c->animation->skeleton,
        .legs = c->legs,
        .leg_count = 2,
        .contacts = contacts,
        .toes = toes,
        .ground = ground,
    };
    sft_adapt_report report;
    if (sft_adapt_scratch_size(in.skeleton, 2) > sizeof c->scratch ||
        sft_adapt_update(&adapt_def, &in, dt, &c->body, c->feet, c->t, c->r, c->scratch, sizeof c->scratch, &report) !=
            SFT_OK)
        return false;
    c->toe_miss = sft_maxd(c->toe_miss, report.toe_miss);
    return true;
}

// ---- drawing ----

static void draw_line(const character* c, const int32_t* joints, int32_t count, double base, const char* style)
{
    printf("<polyline fill=\"none\" %s points=\"", style);
    for (int32_t k = 0; k < count; ++k)
    {
        const sft_v3d p = sft_skeleton_joint_model(c->animation->skeleton, c->t, c->r, joints[k]).t;
        printf("%s%.1f,%.1f", k > 0 ? " " : "", LEFT + SCALE * p.z, base - SCALE * p.y);
    }
    printf("\"/>\n");
}

static void draw_character(const character* c, double base, const char* left, const char* right, const char* trunk)
{
    const int32_t legs[2][5] = {{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}};
    const int32_t spine[3] = {WALKER_HIPS, WALKER_SPINE, WALKER_SPINE + 1};
    draw_line(c, spine, 3, base, trunk);
    draw_line(c, legs[1], 5, base, right);
    draw_line(c, legs[0], 5, base, left);
}

static void draw_ground(double base)
{
    printf("<polyline fill=\"none\" stroke=\"#8a7a5a\" stroke-width=\"2\" points=\"%.1f,%.1f", LEFT, base);
    for (int32_t i = 0; i < POINTS; ++i)
        printf(" %.1f,%.1f", LEFT + SCALE * along[i], base - SCALE * heights[i]);
    printf(" %.1f,%.1f\"/>\n", LEFT + SCALE * 5.2, base);
}

int main(void)
{
    static character c;
    walker animation;
    walker_def def = walker_default_def();
    def.frames = FRAMES;
    def.fps = FPS;
    def.speed = 1.1;
    def.step_length = 0.5;
    def.root_scale = 1.05;
    if (walker_create(&def, &animation) != SFT_OK) return 1;
    int32_t count = 0;
    c.animation = &animation;
    if (sft_leg_find(animation.skeleton, animation.clip, NULL, c.legs, 2, &count) != SFT_OK || count != 2) return 1;
    const sft_ground_profile stairs = {.count = POINTS, .distances = along, .heights = heights};
    const sft_ground ground = sft_ground_from_profile(&stairs);
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1020\" height=\"420\" viewBox=\"0 0 1020 420\">\n"
           "<rect width=\"1020\" height=\"420\" fill=\"white\"/>\n"
           "<text x=\"20\" y=\"24\" font-family=\"sans-serif\" font-size=\"13\">A walk on a level floor, put on stairs "
           "as it plays: left leg blue, right leg red, 8 frames apart</text>\n");
    draw_ground(BASE);
    bool fine = true;
    for (int32_t frame = 0; frame < FRAMES && fine; ++frame)
    {
        fine = update(&c, frame, frame > 0 ? 1.0 / FPS : 0.0, &ground);
        if (frame % DRAWN_EVERY == 0)
            draw_character(&c, BASE, "stroke=\"#2f5a9c\" stroke-width=\"2\"", "stroke=\"#c05050\" stroke-width=\"2\"",
                           "stroke=\"#b0b0b0\" stroke-width=\"1\"");
    }
    printf("</svg>\n");
    walker_release(&animation);
    // Every toe stood where it should.
    return fine && c.toe_miss < 1e-3 ? 0 : 1;
}
