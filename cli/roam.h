// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What the files of `surefoot roam` share.
#ifndef SUREFOOT_CLI_ROAM_H
#define SUREFOOT_CLI_ROAM_H

#include "cli.h"
#include "ground.h"

#define ROAM_JOINTS 80

// ---- creatures that the program makes itself (roam_body.c) ----

typedef enum roam_kind
{
    ROAM_LIZARD,
    ROAM_HEXAPOD,
    ROAM_SPIDER,
    ROAM_BIPED,
    ROAM_KINDS
} roam_kind;

extern const char* const roam_kind_names[ROAM_KINDS];
// Words of gaits, by sft_gait.
extern const char* const roam_gait_names[SFT_GAIT_COUNT];

// Joints by name and place in the model (metres, Y up, facing +Z, feet on y = 0).
typedef struct roam_body
{
    int count;
    char names[ROAM_JOINTS][32];
    int parents[ROAM_JOINTS];
    sft_v3d places[ROAM_JOINTS];
} roam_body;

// ---- their skin (roam_mesh.c) ----

typedef struct roam_vertex
{
    float place[3], normal[3], weights[4];
    uint8_t joints[4], colour[4];
} roam_vertex;

typedef struct roam_mesh
{
    roam_vertex* vertices;
    uint32_t* indices;
    size_t vertex_count, vertex_capacity, index_count, index_capacity;
    bool failed;
} roam_mesh;

// A ring of a tube: an ellipse across the way from ring to ring, `wide` across and `high` up [m], riding on joint a and
// by `blend` on b. Colours are 0xRRGGBB, of the upper and the under side.
typedef struct roam_ring
{
    sft_v3d centre;
    double wide, high;
    int a, b;
    double blend;
    uint32_t top, under;
} roam_ring;

// Skin over rings, closed to a point at both ends. `up` says which side is the upper one.
void roam_mesh_tube(roam_mesh* mesh, const roam_ring* rings, int count, sft_v3d up);
void roam_mesh_ball(roam_mesh* mesh, sft_v3d centre, sft_v3d radii, int joint, uint32_t colour);
// Normals from the faces; call once at the end.
void roam_mesh_finish(roam_mesh* mesh);
void roam_mesh_free(roam_mesh* mesh);

// The creature as GLB: nodes, skin and mesh, standing. *bytes by malloc. EXIT_DONE or EXIT_MEMORY.
int roam_make_glb(roam_kind kind, double scale, void** bytes, size_t* size);
// Nodes, skin and mesh as one GLB (roam_glb.c).
int roam_write_glb(const char* name, const roam_body* body, const roam_mesh* mesh, void** bytes, size_t* size);

// ---- where it is led (roam_path.c) ----

typedef enum path_kind
{
    PATH_LINE,
    PATH_CIRCLE,
    PATH_FIGURE8,
    PATH_STAND,
    PATH_POINTS
} path_kind;

// A line of points that the goal runs along, ahead of the creature. Metres, Y up; the creature starts at the origin,
// facing +Z.
typedef struct roam_path
{
    path_kind kind;
    sft_v3d* points;
    double* along; // [m] from the start to each point
    int count;
    bool closed;
    double at; // [m] along the path, where the creature is
} roam_path;

// "line", "circle[:radius=R]", "figure8[:radius=R]", "stand" or a file of points. EXIT_DONE, EXIT_USAGE or EXIT_READ.
// `size` is the creature's own length, by which radii are chosen.
int roam_path_make(const char* spec, double size, roam_path* out);
// A word where a name or a file is wanted, that is neither: no such file, and not written as one.
bool roam_is_slip(const char* word);
// Only what can be said without a creature: the words and numbers of the spec.
int roam_path_check(const char* spec);
void roam_path_free(roam_path* path);
// The goal, `lead` metres ahead of the place on the path next to `place`; it never goes back.
sft_v3d roam_path_goal(roam_path* path, sft_v3d place, double lead);

// ---- led by hand (roam_goals.c) ----

// Steps that a push is spread over.
#define ROAM_PUSH_STEPS 24

typedef enum lead_kind
{
    LEAD_TO,    // goes to the place
    LEAD_STAND, // goes nowhere
    LEAD_PUSH,  // is shoved by so much
    LEAD_LOOK   // looks at the place from now on
} lead_kind;

typedef struct roam_event
{
    int64_t step; // 120 a second, from 0; counts from this step on
    lead_kind kind;
    sft_v3d place;
} roam_event;

// What is asked of a creature: by lines of a file, or as it happens.
typedef struct roam_goals
{
    roam_event* events; // of the file, in the order of time
    int count, next;
    bool leads, looks;
    sft_v3d goal, look, push; // push: of each step
    int push_left;
} roam_goals;

// Lines `SECONDS,x,z`, `SECONDS,stand`, `SECONDS,push,x,z` or `SECONDS,look,x,y,z`. EXIT_DONE, EXIT_READ, EXIT_MEMORY.
int roam_goals_read(const char* file, roam_goals* out);
void roam_goals_free(roam_goals* goals);
// From now on.
void roam_goals_take(roam_goals* goals, lead_kind kind, sft_v3d place);
// The input of one step, events up to it taken; the look points into *goals.
void roam_goals_sample(roam_goals* goals, int64_t step, sft_creature_input* input);

// ---- parts of what it would choose (roam_tune.c) ----

// "KEY=K,...": the words alone, or on what was seen. EXIT_DONE or EXIT_USAGE.
int roam_tune_check(const char* spec);
int roam_tune(const char* spec, sft_creature_def* def);

// ---- the walk (roam_run.c) ----

typedef struct roam_options
{
    cli_options options; // output, json
    const char* creature;
    const char* creature_out;
    const char* picture;
    const char* ground_out; // PATH.obj
    const char* contacts_out;
    const char* rig;
    const char* path;
    const char* goals;
    const char* gait;
    const char* tune;
    const char* look;
    ground_spec ground;
    bool has_ground;
    ground_spec obstacles; // a file
    bool has_obstacles;
    double seconds, fps, speed, scale;
} roam_options;

typedef struct roam_figures
{
    int64_t steps[SFT_MAX_LEGS];
    double distance;              // [m] travelled by the body
    double stride;                // [m] mean of all steps
    double slide;                 // [cm/s] mean of standing feet, actual joints, frame to frame
    double slide_max;             // [cm/s]
    double off_max;               // [m] actual foot joint from its contact
    double turn_max;              // [rad] its orientation likewise
    double safe_speed;            // [m/s] of the fastest gait
    double air[SFT_MAX_LEGS + 1]; // part of the time with so many feet in the air
    double blocked;               // part of the time
} roam_figures;

typedef struct roam_job
{
    sft_io_document* document;
    void* bytes;
    const char* name; // of rig or creature, for messages
    sft_space space;
    sft_skeleton* skeleton; // metres, Y up
    sft_creature_def def;
    sft_creature* creature;
    sft_clip* clip;
    uint8_t* swings; // [frame * leg_count + leg]: 1 in the air
    sft_v3d* feet;   // [frame * leg_count + leg]: the foot joint [m]
    sft_v3d* bodies; // [frame]
    made_ground ground, obstacles;
    roam_path path;
    roam_goals goals;
    roam_figures figures;
} roam_job;

// One that walks, and what leads it.
typedef struct roam_walker
{
    const roam_options* o;
    roam_job* j;
    sft_creature_state* state;
    sft_v3d goal, look;
    bool looks;
    double lead;
} roam_walker;

// The command's words (cmd_roam.c), -o and all else that only files need apart; release with roam_options_free.
int roam_parse(int argc, char** argv, roam_options* o, bool* helped);
void roam_options_free(roam_options* o);

int roam_open(const roam_options* o, roam_job* j);
int roam_walk(const roam_options* o, roam_job* j);
void roam_close(roam_job* j);
// Puts it down at the origin, at rest, looking where it will; `memory` of sft_creature_state_size.
int roam_put_down(const roam_options* o, roam_job* j, void* memory, roam_walker* out);
// sft_creature_sample of a roam_walker.
void roam_sample(void* walker, double time, sft_creature_input* input);

// When each foot stood, as CSV (roam_labels.c).
int roam_write_labels(const roam_job* j, const char* path);
// A strip of poses, foot traces from above and the gait over time, as SVG (roam_picture.c).
void roam_picture(const roam_job* j, cli_text* out);
// Of a leg, in all parts of a picture.
const char* roam_leg_colour(int32_t leg);
// The strip alone, so wide on the page; answers its height (roam_strip.c).
double roam_strip(const roam_job* j, double left, double top, double width, cli_text* out);

#endif
