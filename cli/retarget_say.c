// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What `surefoot retarget` did, in words and as JSON.

#include "retarget.h"

#include <math.h>
#include <string.h>

const char* const retarget_unreachable_names[3] = {"pelvis", "release", "stretch"};
const char* const retarget_root_names[2] = {"root", "hips"};
const char* const retarget_non_rigid_names[2] = {"none", "ratio"};
const char* const retarget_stance_names[4] = {"T", "A", "I", "other"};

// Pairs below this are named.
#define DOUBTFUL 0.6f
#define MOST_DOUBTFUL 5
#define MOST_SPANS 20

static const char* const rules[5] = {"rest", "joint", "chain", "twist", "root"};

static const char* plural(int32_t count)
{
    return count == 1 ? "" : "s";
}

// ---- the map ----

static void count_rules(const retarget_job* j, int32_t counts[5])
{
    memset(counts, 0, 5 * sizeof *counts);
    for (int32_t k = 0; k < j->pairs->target_joint_count; ++k)
        counts[j->pairs->pairs[k].rule] += (j->target->skeleton->flags[k] & SFT_JOINT_END_SITE) == 0;
}

// Targets of the least confident pairs, worst first; their number returns, that of all doubtful ones through *all.
static int find_doubtful(const retarget_job* j, int32_t out[MOST_DOUBTFUL], int32_t* all)
{
    int count = 0;
    *all = 0;
    for (int32_t k = 0; k < j->pairs->target_joint_count; ++k)
    {
        const sft_joint_pair* pair = &j->pairs->pairs[k];
        if (pair->rule == SFT_PAIR_REST || !(pair->confidence < DOUBTFUL)) continue;
        ++*all;
        int at = count;
        while (at > 0 && pair->confidence < j->pairs->pairs[out[at - 1]].confidence)
            --at;
        if (at == MOST_DOUBTFUL) continue;
        count += count < MOST_DOUBTFUL;
        for (int i = count - 1; i > at; --i)
            out[i] = out[i - 1];
        out[at] = k;
    }
    return count;
}

static const char* source_names(const retarget_job* j, const sft_joint_pair* pair, char* out, size_t capacity)
{
    char one[NAME_SIZE], two[NAME_SIZE];
    if (pair->source < 0)
        snprintf(out, capacity, "nothing");
    else if (pair->source_next < 0)
        cli_joint_name(j->source, pair->source, out, capacity);
    else
        snprintf(out, capacity, "%s and %s", cli_joint_name(j->source, pair->source, one, sizeof one),
                 cli_joint_name(j->source, pair->source_next, two, sizeof two));
    return out;
}

const char* retarget_pose_name(const sft_rig* rig, char out[32])
{
    if (rig->pose_frame >= 0)
        snprintf(out, 32, "pose of frame %d,", (int)rig->pose_frame);
    else
        snprintf(out, 32, "%s", rig->pose_frame == SFT_RIG_POSE_MEAN ? "mean pose" : "rest pose");
    return out;
}

static void print_rig(FILE* out, const char* what, const loaded* file, const sft_rig* rig)
{
    char a[32], b[32], pose[32];
    cli_print(out, "%s: %s, %d legs of %s m", what, file->name, (int)rig->leg_count, cli_figure(rig->leg_length, 3, a));
    if (rig->arm_length > 0.0) cli_print(out, ", arms of %s m", cli_figure(rig->arm_length, 3, b));
    cli_print(out, "; %s %s (%s)\n", retarget_pose_name(rig, pose), retarget_stance_names[rig->stance], rig->reason);
}

void retarget_print_map(FILE* out, const retarget* r, const retarget_job* j)
{
    int32_t counts[5], doubtful[MOST_DOUBTFUL];
    char name[NAME_SIZE], from[2 * NAME_SIZE + 8], number[32];
    count_rules(j, counts);
    print_rig(out, "from", j->source, j->source_rig);
    print_rig(out, "onto", j->target, j->target_rig);
    cli_print(out, "map: %d joint%s one to one, %d along chains, %d share%s of roll, %d root%s, %d at rest%s%s\n",
              (int)counts[SFT_PAIR_JOINT], plural(counts[SFT_PAIR_JOINT]), (int)counts[SFT_PAIR_CHAIN],
              (int)counts[SFT_PAIR_TWIST], plural(counts[SFT_PAIR_TWIST]), (int)counts[SFT_PAIR_ROOT],
              plural(counts[SFT_PAIR_ROOT]), (int)counts[SFT_PAIR_REST], r->map_in != NULL ? ", from " : "",
              r->map_in != NULL ? r->map_in : "");
    int32_t all;
    const int count = find_doubtful(j, doubtful, &all);
    if (all > 0)
        cli_print(out, "  unsure: %d joint%s below %s%s\n", (int)all, plural(all),
                  cli_figure((double)DOUBTFUL, 2, number), all > count ? "; the least sure of them" : "");
    for (int i = 0; i < count; ++i)
    {
        const sft_joint_pair* pair = &j->pairs->pairs[doubtful[i]];
        cli_print(out, "    %s %s from %s: %s\n", cli_figure((double)pair->confidence, 2, number),
                  cli_joint_name(j->target, doubtful[i], name, sizeof name), source_names(j, pair, from, sizeof from),
                  pair->reason);
    }
    for (int32_t i = 0; i < j->pairs->fallback_count; ++i)
        cli_print(out, "  no counterpart: %s\n", j->pairs->fallbacks[i]);
    for (int32_t i = 0; i < j->pairs->unused_count; ++i)
        cli_print(out, "  left over: %s\n", j->pairs->unused[i]);
}

// ---- misses ----

typedef struct miss_span
{
    int32_t first, last;
    const sft_mend_miss* worst;
} miss_span;

// Neighbouring frames of one joint, from miss `i` on; returns the last of them. Those of other joints lie between.
static int32_t take_span(const sft_mend_report* m, int32_t i, miss_span* out)
{
    const sft_mend_miss* miss = &m->misses[i];
    *out = (miss_span){miss->frame, miss->frame, miss};
    int32_t end = i;
    for (int32_t k = i + 1; k < m->miss_count; ++k)
    {
        const sft_mend_miss* next = &m->misses[k];
        if (next->joint != miss->joint) continue;
        if (next->frame > out->last + 1 || next->frame < out->last || next->gave != miss->gave) break;
        out->last = next->frame;
        if (next->distance > out->worst->distance) out->worst = next;
        end = k;
    }
    return end;
}

static bool first_of_joint(const sft_mend_report* m, int32_t i)
{
    for (int32_t k = 0; k < i; ++k)
        if (m->misses[k].joint == m->misses[i].joint) return false;
    return true;
}

static void print_misses(FILE* out, const retarget_job* j)
{
    static const char* const gave[3] = {"the body gives way as far as it can", "let go", "the limb is stretched"};
    const sft_mend_report* m = &j->mended;
    if (m->miss_count == 0)
    {
        if (m->plant_count > 0 || m->goal_count > 0) cli_print(out, "Every goal was reached.\n");
        return;
    }
    cli_print(out, "Not reached, in %d frames:\n", (int)m->miss_count);
    int spans = 0;
    for (int32_t i = 0; i < m->miss_count; ++i)
    {
        if (!first_of_joint(m, i)) continue;
        for (int32_t k = i; k < m->miss_count; ++k)
        {
            if (m->misses[k].joint != m->misses[i].joint) continue;
            miss_span span;
            k = take_span(m, k, &span);
            if (++spans > MOST_SPANS) continue;
            char name[NAME_SIZE], a[32], b[32], c[32];
            cli_print(out, "  %s, frames %d to %d: up to %s cm off; goal %s m from the limb's root, limb %s m; %s\n",
                      cli_joint_name(j->target, span.worst->joint, name, sizeof name), (int)span.first, (int)span.last,
                      cli_figure(100.0 * span.worst->distance, 2, a), cli_figure(span.worst->target_distance, 3, b),
                      cli_figure(span.worst->chain_length, 3, c), gave[span.worst->gave]);
        }
    }
    if (spans > MOST_SPANS) cli_print(out, "  and %d more spans; --json lists every frame\n", spans - MOST_SPANS);
}

// ---- summary ----

static void pair_row(FILE* out, const char* label, double source, double before, double after)
{
    char a[32], b[32], c[32];
    cli_print(out, "  %-38s %10s %10s %10s\n", label, cli_figure(source, 3, a), cli_figure(before, 3, b),
              cli_figure(after, 3, c));
}

static void print_feet(FILE* out, const retarget_job* j)
{
    if (j->carried.labels == NULL) return;
    const sft_metrics_clip *s = &j->source_figures.clip, *a = &j->before.clip, *b = &j->after.clip;
    cli_print(out, "  %-38s %10s %10s %10s\n", "", "source", "moved", j->solved != NULL ? "planted" : "written");
    pair_row(out, "slide of planted feet, mean [cm/s]", s->slide_mean_cm_s, a->slide_mean_cm_s, b->slide_mean_cm_s);
    pair_row(out, "slide of planted feet, max [cm/s]", s->slide_max_cm_s, a->slide_max_cm_s, b->slide_max_cm_s);
    pair_row(out, "below the feet's support, max [cm]", s->penetration_max_cm, a->penetration_max_cm,
             b->penetration_max_cm);
    pair_row(out, "pelvis acceleration, p99 [m/s2]", s->pelvis_accel_p99, a->pelvis_accel_p99, b->pelvis_accel_p99);
}

static void print_limbs(FILE* out, const retarget_job* j)
{
    double worst_mean = 0.0, worst_p99 = 0.0;
    const limb_error *mean = NULL, *p99 = NULL;
    char a[32], b[32], frame[48];
    for (int32_t i = 0; i < j->limb_count; ++i)
    {
        const limb_error* limb = &j->limbs[i];
        if (mean == NULL || limb->mean > worst_mean)
        {
            worst_mean = limb->mean;
            mean = limb;
        }
        if (p99 == NULL || limb->p99 > worst_p99)
        {
            worst_p99 = limb->p99;
            p99 = limb;
        }
    }
    if (mean == NULL) return;
    cli_print(out, "%s: at worst %s degrees mean (%s), %s at the 99th percentile (%s, frame %s)\n",
              worst_mean > RETARGET_ASTRAY ? "Limbs point elsewhere than the source's"
                                           : "Limbs point where the source's do",
              cli_figure(worst_mean, 2, a), mean->name, cli_figure(worst_p99, 2, b), p99->name,
              cli_frame_name(&j->shown, p99->frame, frame));
}

static void print_turns(FILE* out, const retarget_job* j)
{
    static const char* const names[4] = {"left arm", "right arm", "left leg", "right leg"};
    const sft_mend_report* m = &j->mended;
    bool any = false;
    char a[32], b[32];
    for (int i = 0; i < 4; ++i)
    {
        if (!(m->limb_turn_max[i] > 1e-6)) continue;
        cli_print(out, "%s%s %s (%s)", any ? ", " : "Extra turn for it, mean and largest [degrees]: ", names[i],
                  cli_figure(m->limb_turn_mean[i] * 180.0 / SFT_PI, 2, a),
                  cli_figure(m->limb_turn_max[i] * 180.0 / SFT_PI, 1, b));
        any = true;
    }
    if (any) cli_print(out, "\n");
}

// What the scale is the ratio of.
static const char* scale_basis(const retarget* r, const retarget_job* j)
{
    const bool legs = j->source_rig->leg_length > 0.0 && j->target_rig->leg_length > 0.0;
    if (r->transfer.scale > 0.0) return legs ? "leg length set aside, as told" : "as told";
    if (legs) return "leg length";
    return j->source_rig->leg_count == 0 && j->target_rig->leg_count == 0
               ? "height, as neither has legs"
               : (j->target_rig->leg_count == 0 ? "height, as the target has no legs"
                                                : "height, as the source has no legs");
}

static void print_travel(FILE* out, const retarget* r, const retarget_job* j)
{
    char name[NAME_SIZE], hips[NAME_SIZE], number[32];
    const sft_rig* rig = j->target_rig;
    const int32_t owner = retarget_travel_joint(r, j);
    cli_print(out, "Travel and height times %s (%s); ", cli_figure(j->transfer.scale, 4, number), scale_basis(r, j));
    if (rig->hips < 0)
        cli_print(out, "the target has no hips\n");
    else if (owner != rig->hips)
        cli_print(out, "%s carries the travel, %s height and sway%s\n",
                  cli_joint_name(j->target, owner, name, sizeof name),
                  cli_joint_name(j->target, rig->hips, hips, sizeof hips),
                  j->folded ? ", which lie on the joint above, as it has no position channels" : "");
    else
        cli_print(out, "%s carries all of it%s\n", cli_joint_name(j->target, rig->hips, hips, sizeof hips),
                  j->folded ? ", on the joint above, as it has no position channels" : "");
}

const char* retarget_why_unplanted(const retarget* r, const retarget_job* j)
{
    if (j->source_rig->leg_count == 0) return "the source has no legs";
    if (j->target_rig->leg_count == 0) return "the target has no legs";
    return r->no_clean ? "--no-clean" : NULL;
}

static void print_mended(FILE* out, const retarget* r, const retarget_job* j)
{
    char number[32];
    const sft_mend_report* m = &j->mended;
    const char* why = retarget_why_unplanted(r, j);
    if (why != NULL)
        cli_print(out, "Feet are where the transfer left them (%s).\n", why);
    else
        cli_print(out, "%d plant%s, feet held in %d frames; the pelvis moved by at most %s cm\n", (int)m->plant_count,
                  plural(m->plant_count), (int)m->planted_frames, cli_figure(100.0 * m->pelvis_shift_max, 2, number));
    const int32_t found = m->goal_count - r->goal_count;
    if (r->keep_hands && found == 0)
        cli_print(out, "Hands touch nothing in the source.\n");
    else if (r->keep_hands)
        cli_print(out, "Hands touch something %d time%s, and are to do so here.\n", (int)found, plural(found));
    if (r->goal_count > 0) cli_print(out, "%d goal%s given for hands.\n", (int)r->goal_count, plural(r->goal_count));
}

void retarget_print_summary(FILE* out, const retarget* r, const retarget_job* j)
{
    char text[256], number[32], other[32];
    cli_print(out, "%s onto %s -> %s", j->source->title, j->target->name, r->options.output);
    if (j->target->contents->format != SFT_IO_BVH)
        cli_print(out, ", %s '%s'", r->replace != NULL ? "in place of" : "as",
                  r->replace != NULL ? r->replace : j->put_name);
    cli_print(out, "\n");
    retarget_print_map(out, r, j);
    print_travel(out, r, j);
    if (j->carried.labels != NULL)
        cli_print(out, "Ground at %s m, %s (source: %s m, %s)\n", cli_figure(j->target_ground, 4, number),
                  j->target_ground_reason, cli_figure(j->source_ground, 4, other), j->ground_reason);
    if (r->transfer.mirror) cli_print(out, "Left and right are swapped.\n");
    if (j->transfer.source_stretch > 0.01)
        cli_print(out, "Bones of the source change their length by up to %s %%; %s.\n",
                  cli_figure(100.0 * j->transfer.source_stretch, 1, number),
                  r->transfer.non_rigid == SFT_NON_RIGID_RATIO ? "the target's do so with them"
                                                               : "the target's stay as they are");
    print_limbs(out, j);
    if (j->carried.labels != NULL) cli_print(out, "%s\n", cli_mismatch_sentence(&j->contacts, text, sizeof text));
    print_mended(out, r, j);
    print_feet(out, j);
    if (j->solved == NULL) return;
    print_turns(out, j);
    print_misses(out, j);
}

void retarget_print_line(cli_text* out, const retarget_job* j)
{
    char name[NAME_SIZE], a[32], b[32], c[32];
    double mean = 0.0;
    for (int32_t i = 0; i < j->limb_count; ++i)
        mean = sft_maxd(mean, j->limbs[i].mean);
    text_fmt(out, "  %-32s %6d frames  slide %s to %s cm/s, limbs within %s degrees mean%s",
             cli_clip_name(j->source, j->source->clip_index, name, sizeof name), (int)j->source->frame_count,
             cli_figure(j->before.clip.slide_mean_cm_s, 2, a), cli_figure(j->after.clip.slide_mean_cm_s, 2, b),
             cli_figure(mean, 2, c), j->mended.miss_count > 0 ? "" : "\n");
    if (j->mended.miss_count > 0) text_fmt(out, ", %d frames not reached\n", (int)j->mended.miss_count);
}

// ---- JSON ----

static void json_rig(json_out* json, const char* key, const loaded* file, const sft_rig* rig)
{
    char name[NAME_SIZE], identity[24];
    json_begin(json, key, '{');
    json_text(json, "file", file->path);
    snprintf(identity, sizeof identity, "%016llx", (unsigned long long)rig->identity);
    json_text(json, "identity", identity);
    json_int(json, "joints", rig->skeleton->joint_count);
    json_int(json, "legs", rig->leg_count);
    json_text(json, "hips", rig->hips >= 0 ? cli_joint_name(file, rig->hips, name, sizeof name) : NULL);
    json_text(json, "root", rig->root >= 0 ? cli_joint_name(file, rig->root, name, sizeof name) : NULL);
    json_text(json, "stance", retarget_stance_names[rig->stance]);
    json_text(json, "pose", rig->pose_frame >= 0 ? "frame" : rig->pose_frame == SFT_RIG_POSE_MEAN ? "mean" : "rest");
    if (rig->pose_frame >= 0)
        json_int(json, "pose_frame", rig->pose_frame);
    else
        json_text(json, "pose_frame", NULL);
    json_figure(json, "facing_degrees", rig->facing * 180.0 / SFT_PI);
    json_figure(json, "leg_length_m", rig->leg_length);
    json_figure(json, "arm_length_m", rig->arm_length);
    json_text(json, "reason", rig->reason);
    json_end(json, '}');
}

void retarget_json_map(json_out* json, const retarget_job* j)
{
    char name[NAME_SIZE];
    const sft_retarget_map_contents* m = j->pairs;
    int32_t counts[5];
    count_rules(j, counts);
    json_rig(json, "source_rig", j->source, j->source_rig);
    json_rig(json, "target_rig", j->target, j->target_rig);
    json_begin(json, "map", '{');
    json_begin(json, "rules", '{');
    for (int i = 0; i < 5; ++i)
        json_int(json, rules[i], counts[i]);
    json_end(json, '}');
    json_figure(json, "scale", m->scale);
    json_begin(json, "pairs", '[');
    for (int32_t k = 0; k < m->target_joint_count; ++k)
    {
        const sft_joint_pair* pair = &m->pairs[k];
        if ((j->target->skeleton->flags[k] & SFT_JOINT_END_SITE) != 0) continue;
        json_begin(json, NULL, '{');
        json_text(json, "target", cli_joint_name(j->target, k, name, sizeof name));
        json_text(json, "source",
                  pair->source >= 0 ? cli_joint_name(j->source, pair->source, name, sizeof name) : NULL);
        if (pair->source_next >= 0)
            json_text(json, "source_next", cli_joint_name(j->source, pair->source_next, name, sizeof name));
        json_text(json, "rule", rules[pair->rule]);
        if (pair->rule == SFT_PAIR_CHAIN || pair->rule == SFT_PAIR_TWIST) json_figure(json, "share", pair->share);
        json_figure(json, "confidence", (double)pair->confidence);
        json_text(json, "reason", pair->reason);
        json_end(json, '}');
    }
    json_end(json, ']');
    json_begin(json, "fallbacks", '[');
    for (int32_t i = 0; i < m->fallback_count; ++i)
        json_text(json, NULL, m->fallbacks[i]);
    json_end(json, ']');
    json_begin(json, "unused", '[');
    for (int32_t i = 0; i < m->unused_count; ++i)
        json_text(json, NULL, m->unused[i]);
    json_end(json, ']');
    json_end(json, '}');
}

static void json_limbs(json_out* json, const retarget_job* j)
{
    json_begin(json, "limbs", '[');
    for (int32_t i = 0; i < j->limb_count; ++i)
    {
        const limb_error* limb = &j->limbs[i];
        json_begin(json, NULL, '{');
        json_text(json, "name", limb->name);
        json_figure(json, "moved_mean_degrees", limb->mean);
        json_figure(json, "moved_p99_degrees", limb->p99);
        json_figure(json, "moved_max_degrees", limb->max);
        json_int(json, "moved_max_frame", limb->frame);
        json_figure(json, "written_mean_degrees", limb->after_mean);
        json_figure(json, "written_p99_degrees", limb->after_p99);
        json_end(json, '}');
    }
    json_end(json, ']');
}

static void json_mended(json_out* json, const retarget_job* j)
{
    static const char* const names[4] = {"left_arm", "right_arm", "left_leg", "right_leg"};
    const sft_mend_report* m = &j->mended;
    json_begin(json, "mended", '{');
    json_int(json, "plants", m->plant_count);
    json_int(json, "planted_frames", m->planted_frames);
    json_figure(json, "residual_cm", 100.0 * m->residual_m);
    json_figure(json, "pelvis_shift_max_cm", 100.0 * m->pelvis_shift_max);
    json_int(json, "goals", m->goal_count);
    json_begin(json, "extra_turn_degrees", '{');
    for (int i = 0; i < 4; ++i)
    {
        json_begin(json, names[i], '{');
        json_figure(json, "mean", m->limb_turn_mean[i] * 180.0 / SFT_PI);
        json_figure(json, "max", m->limb_turn_max[i] * 180.0 / SFT_PI);
        json_end(json, '}');
    }
    json_end(json, '}');
    json_end(json, '}');
}

static void json_misses(json_out* json, const retarget_job* j)
{
    const sft_mend_report* m = &j->mended;
    char name[NAME_SIZE];
    json_begin(json, "misses", '[');
    for (int32_t i = 0; i < m->miss_count; ++i)
    {
        const sft_mend_miss* miss = &m->misses[i];
        json_begin(json, NULL, '{');
        json_int(json, "frame", miss->frame);
        json_text(json, "joint", cli_joint_name(j->target, miss->joint, name, sizeof name));
        json_figure(json, "distance_cm", 100.0 * miss->distance);
        json_figure(json, "target_distance_m", miss->target_distance);
        json_figure(json, "chain_length_m", miss->chain_length);
        json_text(json, "gave", retarget_unreachable_names[miss->gave]);
        json_end(json, '}');
    }
    json_end(json, ']');
}

static void json_figures_of(json_out* json, const char* key, const loaded* file, const figures* f)
{
    json_begin(json, key, '{');
    cli_json_figures(json, file, f);
    json_end(json, '}');
}

void retarget_json(json_out* json, const retarget* r, const retarget_job* j, const char* page)
{
    char name[NAME_SIZE];
    json_begin(json, NULL, '{');
    json_text(json, "source", j->source->path);
    json_text(json, "clip", cli_clip_name(j->source, j->source->clip_index, name, sizeof name));
    json_text(json, "target", j->target->path);
    json_text(json, "output", r->options.output);
    json_text(json, "report", page);
    json_text(json, "written_as", j->target->contents->clips[j->put_index].name);
    json_int(json, "frames", j->source->frame_count);
    json_number(json, "frame_time_s", j->source->frame_time);
    json_int(json, "first_frame", j->source->first_frame);
    json_figure(json, "scale", j->transfer.scale);
    json_bool(json, "mirror", r->transfer.mirror);
    json_text(json, "travel_on", retarget_root_names[retarget_travel_joint(r, j) == j->target_rig->hips]);
    json_bool(json, "travel_folded", j->folded);
    json_figure(json, "source_ground_m", j->source_ground);
    json_text(json, "source_ground_reason", j->ground_reason);
    json_figure(json, "target_ground_m", j->target_ground);
    json_text(json, "target_ground_reason", j->target_ground_reason);
    json_figure(json, "target_sole_m", j->target_sole);
    json_figure(json, "source_stretch", j->transfer.source_stretch);
    json_bool(json, "cleaned", j->solved != NULL);
    retarget_json_map(json, j);
    json_limbs(json, j);
    json_mended(json, j);
    json_misses(json, j);
    if (j->carried.labels != NULL)
    {
        cli_json_mismatch(json, &j->contacts);
        json_figures_of(json, "source_figures", j->source, &j->source_figures);
        json_figures_of(json, "moved_figures", &j->shown, &j->before);
        json_figures_of(json, "written_figures", &j->shown, &j->after);
        json_figure(json, "moved_below_ground_cm", j->before_depth);
        json_figure(json, "written_below_ground_cm", j->after_depth);
    }
    json_end(json, '}');
}
