// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Names are cut into words: at everything that is no letter, at a change from small to capital letter, and between
// letters and digits; a namespace before the last ':' or '|' is dropped. Words are looked up in a table of the field's
// vocabularies. Writing without spaces (Japanese, Chinese) is searched for its characters instead.

#include "skeleton/joint_names.h"

#include "core/core.h"

#define MAX_WORDS 16
#define WORD_SIZE 24

typedef struct word_list
{
    char text[MAX_WORDS][WORD_SIZE]; // lower case
    int count;
} word_list;

typedef struct entry
{
    const char* word;
    uint32_t parts;
} entry;

// A word matches whole; a trailing plural s is tried without.
static const entry WORDS[] = {
    {"hip", SFT_NAME_HIP},
    {"buttock", SFT_NAME_HIP},
    {"huefte", SFT_NAME_HIP},
    {"cadera", SFT_NAME_HIP},
    {"hanche", SFT_NAME_HIP},
    {"coxa", SFT_NAME_HIP},
    {"thigh", SFT_NAME_THIGH},
    {"femur", SFT_NAME_THIGH},
    {"upleg", SFT_NAME_THIGH},
    {"upperleg", SFT_NAME_THIGH},
    {"uprleg", SFT_NAME_THIGH},
    {"oberschenkel", SFT_NAME_THIGH},
    {"muslo", SFT_NAME_THIGH},
    {"cuisse", SFT_NAME_THIGH},
    {"knee", SFT_NAME_SHIN},
    {"shin", SFT_NAME_SHIN},
    {"shank", SFT_NAME_SHIN},
    {"calf", SFT_NAME_SHIN},
    {"tibia", SFT_NAME_SHIN},
    {"fibula", SFT_NAME_SHIN},
    {"gaskin", SFT_NAME_SHIN},
    {"stifle", SFT_NAME_SHIN},
    {"loleg", SFT_NAME_SHIN},
    {"lowleg", SFT_NAME_SHIN},
    {"lowerleg", SFT_NAME_SHIN},
    {"lwrleg", SFT_NAME_SHIN},
    {"unterschenkel", SFT_NAME_SHIN},
    {"knie", SFT_NAME_SHIN},
    {"rodilla", SFT_NAME_SHIN},
    {"genou", SFT_NAME_SHIN},
    {"foot", SFT_NAME_FOOT},
    {"feet", SFT_NAME_FOOT},
    {"ankle", SFT_NAME_FOOT},
    {"talus", SFT_NAME_FOOT},
    {"tarsus", SFT_NAME_FOOT},
    {"hock", SFT_NAME_FOOT},
    {"paw", SFT_NAME_FOOT},
    {"hoof", SFT_NAME_FOOT | SFT_NAME_TOE},
    {"coffin", SFT_NAME_FOOT | SFT_NAME_TOE},
    {"cannon", SFT_NAME_HEEL},
    {"fuss", SFT_NAME_FOOT},
    {"pied", SFT_NAME_FOOT},
    {"cheville", SFT_NAME_FOOT},
    {"pie", SFT_NAME_FOOT},
    {"tobillo", SFT_NAME_FOOT},
    {"heel", SFT_NAME_HEEL},
    {"calcn", SFT_NAME_HEEL},
    {"calcaneus", SFT_NAME_HEEL},
    {"toe", SFT_NAME_TOE},
    {"toebase", SFT_NAME_TOE},
    {"ball", SFT_NAME_TOE},
    {"metatarsal", SFT_NAME_TOE},
    {"mtp", SFT_NAME_TOE},
    {"zehe", SFT_NAME_TOE},
    {"orteil", SFT_NAME_TOE},
    {"leg", SFT_NAME_LEG},
    {"bein", SFT_NAME_LEG},
    {"jambe", SFT_NAME_LEG},
    {"pierna", SFT_NAME_LEG},
    {"hindleg", SFT_NAME_LEG},
    {"fetlock", SFT_NAME_LEG},
    {"pastern", SFT_NAME_LEG},
    {"foreleg", SFT_NAME_LEG},
    {"shoulder", SFT_NAME_ARM},
    {"shldr", SFT_NAME_ARM},
    {"clavicle", SFT_NAME_ARM | SFT_NAME_CLAVICLE},
    {"collar", SFT_NAME_ARM | SFT_NAME_CLAVICLE},
    {"scapula", SFT_NAME_ARM | SFT_NAME_CLAVICLE},
    {"arm", SFT_NAME_ARM},
    {"uparm", SFT_NAME_ARM | SFT_NAME_UPPER_ARM},
    {"loarm", SFT_NAME_ARM | SFT_NAME_FOREARM},
    {"upperarm", SFT_NAME_ARM | SFT_NAME_UPPER_ARM},
    {"lowerarm", SFT_NAME_ARM | SFT_NAME_FOREARM},
    {"forearm", SFT_NAME_ARM | SFT_NAME_FOREARM},
    {"humerus", SFT_NAME_ARM | SFT_NAME_UPPER_ARM},
    {"radius", SFT_NAME_ARM | SFT_NAME_FOREARM},
    {"carpus", SFT_NAME_ARM | SFT_NAME_HAND},
    {"carpal", SFT_NAME_ARM | SFT_NAME_HAND},
    {"ulna", SFT_NAME_ARM | SFT_NAME_FOREARM},
    {"elbow", SFT_NAME_ARM | SFT_NAME_FOREARM},
    {"wrist", SFT_NAME_ARM | SFT_NAME_HAND},
    {"hand", SFT_NAME_ARM | SFT_NAME_HAND},
    {"finger", SFT_NAME_ARM},
    {"thumb", SFT_NAME_ARM},
    {"index", SFT_NAME_ARM},
    {"ring", SFT_NAME_ARM},
    {"pinky", SFT_NAME_ARM},
    {"palm", SFT_NAME_ARM},
    {"metacarpal", SFT_NAME_ARM},
    {"tail", SFT_NAME_LOOSE},
    {"hair", SFT_NAME_LOOSE},
    {"skirt", SFT_NAME_LOOSE},
    {"dress", SFT_NAME_LOOSE},
    {"cloth", SFT_NAME_LOOSE},
    {"coat", SFT_NAME_LOOSE},
    {"cape", SFT_NAME_LOOSE},
    {"cloak", SFT_NAME_LOOSE},
    {"robe", SFT_NAME_LOOSE},
    {"ribbon", SFT_NAME_LOOSE},
    {"sleeve", SFT_NAME_LOOSE},
    {"wing", SFT_NAME_LOOSE},
    {"feather", SFT_NAME_LOOSE},
    {"fin", SFT_NAME_LOOSE},
    {"flipper", SFT_NAME_LOOSE},
    {"fluke", SFT_NAME_LOOSE},
    {"tentacle", SFT_NAME_LOOSE},
    {"branch", SFT_NAME_LOOSE},
    {"rope", SFT_NAME_LOOSE},
    {"flag", SFT_NAME_LOOSE},
    {"whisker", SFT_NAME_LOOSE},
    {"ponytail", SFT_NAME_LOOSE},
    {"braid", SFT_NAME_LOOSE},
    {"scarf", SFT_NAME_LOOSE},
    {"mane", SFT_NAME_LOOSE},
    {"ear", SFT_NAME_LOOSE},
    {"breast", SFT_NAME_LOOSE},
    {"bust", SFT_NAME_LOOSE},
    {"antenna", SFT_NAME_LOOSE},
    {"pelvis", SFT_NAME_TRUNK},
    {"hips", SFT_NAME_TRUNK},
    {"waist", SFT_NAME_TRUNK},
    {"spine", SFT_NAME_TRUNK},
    {"chest", SFT_NAME_TRUNK},
    {"torso", SFT_NAME_TRUNK},
    {"abdomen", SFT_NAME_TRUNK},
    {"neck", SFT_NAME_TRUNK},
    {"head", SFT_NAME_TRUNK},
    {"jaw", SFT_NAME_TRUNK},
    {"eye", SFT_NAME_TRUNK},
    {"ik", SFT_NAME_HELPER},
    {"fk", SFT_NAME_HELPER},
    {"ctrl", SFT_NAME_HELPER},
    {"control", SFT_NAME_HELPER},
    {"ctl", SFT_NAME_HELPER},
    {"mch", SFT_NAME_HELPER},
    {"org", SFT_NAME_HELPER},
    {"pole", SFT_NAME_HELPER},
    {"target", SFT_NAME_HELPER},
    {"goal", SFT_NAME_HELPER},
    {"twist", SFT_NAME_TWIST},
    {"roll", SFT_NAME_TWIST},
};

// Searched for inside the name, longest meaning first; a hit takes its characters away.
static const entry PIECES[] = {
    {"足首", SFT_NAME_FOOT},   {"足指", SFT_NAME_TOE},  {"つま先", SFT_NAME_TOE},   {"足先", SFT_NAME_TOE},
    {"足の指", SFT_NAME_TOE},  {"脚趾", SFT_NAME_TOE},  {"太もも", SFT_NAME_THIGH}, {"大腿", SFT_NAME_THIGH},
    {"小腿", SFT_NAME_SHIN},   {"ひざ", SFT_NAME_SHIN}, {"膝", SFT_NAME_SHIN},      {"すね", SFT_NAME_SHIN},
    {"かかと", SFT_NAME_HEEL}, {"脚踝", SFT_NAME_FOOT}, {"足", SFT_NAME_LEG},       {"脚", SFT_NAME_LEG},
    {"腿", SFT_NAME_LEG},      {"手首", SFT_NAME_ARM},  {"腕", SFT_NAME_ARM},       {"肩", SFT_NAME_ARM},
    {"ひじ", SFT_NAME_ARM},    {"指", SFT_NAME_ARM},    {"手", SFT_NAME_ARM},       {"スカート", SFT_NAME_LOOSE},
    {"髪", SFT_NAME_LOOSE},    {"尾", SFT_NAME_LOOSE},  {"しっぽ", SFT_NAME_LOOSE}, {"胸", SFT_NAME_TRUNK},
    {"ＩＫ", SFT_NAME_HELPER}, {"捩", SFT_NAME_TWIST},
};

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static const char* without_namespace(const char* name)
{
    const char* start = name;
    for (const char* p = name; *p != '\0'; ++p)
        if ((*p == ':' || *p == '|') && p[1] != '\0') start = p + 1;
    return start;
}

static void split(const char* name, word_list* words)
{
    words->count = 0;
    size_t length = 0;
    const char* p = without_namespace(name);
    for (char before = '\0'; words->count < MAX_WORDS; before = *p, ++p)
    {
        const bool letter = is_upper(*p) || is_lower(*p);
        // "LHipJoint": a capital that is followed by a small letter starts a word, whatever stands before it.
        const bool starts = is_upper(*p) && (is_lower(before) || (is_upper(before) && is_lower(p[1])));
        if (length > 0 && (!letter || starts))
        {
            words->text[words->count++][length] = '\0';
            length = 0;
        }
        if (*p == '\0') break;
        if (letter && words->count < MAX_WORDS && length + 1 < WORD_SIZE)
            words->text[words->count][length++] = is_upper(*p) ? (char)(*p - 'A' + 'a') : *p;
    }
}

static uint32_t look_up(const char* word)
{
    const size_t length = strlen(word);
    for (size_t i = 0; i < SFT_COUNT_OF(WORDS); ++i)
    {
        if (strcmp(word, WORDS[i].word) == 0) return WORDS[i].parts;
        const size_t own = strlen(WORDS[i].word);
        if (length == own + 1 && word[own] == 's' && strncmp(word, WORDS[i].word, own) == 0 &&
            WORDS[i].parts != SFT_NAME_HIP)
            return WORDS[i].parts;
    }
    return 0;
}

// "lfemur", "rtoes", "lhip": a side glued to a word that is known.
static uint32_t look_up_glued(const char* word, int* side)
{
    if ((word[0] != 'l' && word[0] != 'r') || word[1] == '\0') return 0;
    const uint32_t parts = look_up(word + 1);
    if (parts != 0) *side = word[0] == 'l' ? -1 : 1;
    return parts;
}

static uint32_t look_up_pieces(const char* name)
{
    bool ascii = true;
    for (const char* p = name; *p != '\0'; ++p)
        ascii = ascii && (unsigned char)*p < 0x80;
    if (ascii) return 0;
    for (size_t i = 0; i < SFT_COUNT_OF(PIECES); ++i)
        if (strstr(name, PIECES[i].word) != NULL)
            return PIECES[i].parts |
                   (strstr(name, "ＩＫ") != NULL || strstr(name, "IK") != NULL ? (uint32_t)SFT_NAME_HELPER : 0u);
    return 0;
}

uint32_t sft_name_parts(const char* name)
{
    word_list words;
    split(name, &words);
    uint32_t parts = look_up_pieces(name);
    bool upper = false, lower = false, fore = false, animal = false;
    for (int i = 0; i < words.count; ++i)
    {
        const char* word = words.text[i];
        int side = 0;
        uint32_t found = look_up(word);
        if (found == 0) found = look_up_glued(word, &side);
        parts |= found;
        upper = upper || strcmp(word, "up") == 0 || strcmp(word, "upper") == 0;
        lower = lower || strcmp(word, "lo") == 0 || strcmp(word, "low") == 0 || strcmp(word, "lower") == 0;
        fore = fore || strcmp(word, "fore") == 0;
        animal = animal || strcmp(word, "front") == 0 || strcmp(word, "hind") == 0 || strcmp(word, "rear") == 0;
    }
    // "FrontUpper", "hind_lower_L"; but an upper back is a spine.
    if (parts == 0 && (animal || fore) && (upper || lower)) parts = SFT_NAME_LEG;
    if ((parts & SFT_NAME_LEG) != 0 && (upper || lower))
        parts = (parts & ~(uint32_t)SFT_NAME_LEG) | (uint32_t)(upper ? SFT_NAME_THIGH : SFT_NAME_SHIN);
    const uint32_t which_arm = SFT_NAME_CLAVICLE | SFT_NAME_UPPER_ARM | SFT_NAME_FOREARM | SFT_NAME_HAND;
    if ((parts & SFT_NAME_ARM) != 0 && (parts & which_arm) == 0 && (upper || lower || fore))
        parts |= (uint32_t)(upper ? SFT_NAME_UPPER_ARM : SFT_NAME_FOREARM);
    // "LegAnkle", "foot_leg": a named part says more than "leg"; "LeftForeArm" is one arm, not a front leg.
    if ((parts & (SFT_NAME_ANY_LEG & ~SFT_NAME_LEG)) != 0) parts &= ~(uint32_t)SFT_NAME_LEG;
    return parts;
}

// "FL_thigh", "RHpaw": which leg of an animal, front or hind and the side. Only where no plain word says the side,
// since "fr" and "bl" may be other things.
static int side_of_code(const char* word)
{
    static const char* const left[] = {"fl", "bl", "hl", "rl", "lb", "lh", "lr"};
    static const char* const right[] = {"fr", "br", "hr", "rr", "rf", "rb", "rh"};
    for (size_t k = 0; k < SFT_COUNT_OF(left); ++k)
    {
        if (strcmp(word, left[k]) == 0) return -1;
        if (strcmp(word, right[k]) == 0) return 1;
    }
    return 0;
}

int sft_name_side(const char* name)
{
    static const char* const left[] = {"l", "left", "lt", "lf", "links", "linke", "gauche", "izquierda", "izq", "sx"};
    static const char* const right[] = {"r", "right", "rt", "rg", "rechts", "rechte", "droite", "derecha", "der", "dx"};
    if (strstr(name, "左") != NULL) return -1;
    if (strstr(name, "右") != NULL) return 1;
    word_list words;
    split(name, &words);
    for (int i = 0; i < words.count; ++i)
    {
        const char* word = words.text[i];
        for (size_t k = 0; k < SFT_COUNT_OF(left); ++k)
            if (strcmp(word, left[k]) == 0) return -1;
        for (size_t k = 0; k < SFT_COUNT_OF(right); ++k)
            if (strcmp(word, right[k]) == 0) return 1;
        if (strncmp(word, "left", 4) == 0) return -1;
        if (strncmp(word, "right", 5) == 0) return 1;
        int side = 0;
        if (look_up(word) == 0 && look_up_glued(word, &side) != 0) return side;
    }
    for (int i = 0; i < words.count; ++i)
        if (side_of_code(words.text[i]) != 0) return side_of_code(words.text[i]);
    return 0;
}
