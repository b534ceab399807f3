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

// In alphabetical order, for it is searched by halves. A word matches whole; a trailing plural s is tried without.
static const entry WORDS[] = {
    {"ab", SFT_NAME_TRUNK | SFT_NAME_SPINE},
    {"abdomen", SFT_NAME_TRUNK | SFT_NAME_SPINE},
    {"ankle", SFT_NAME_FOOT},
    {"antenna", SFT_NAME_LOOSE},
    {"arm", SFT_NAME_ARM},
    {"armature", SFT_NAME_ROOT},
    {"attach", SFT_NAME_BESIDE},
    {"avantbras", SFT_NAME_ARM | SFT_NAME_FOREARM},
    {"ball", SFT_NAME_TOE},
    {"bassin", SFT_NAME_TRUNK | SFT_NAME_PELVIS},
    {"beak", SFT_NAME_BESIDE},
    {"becken", SFT_NAME_TRUNK | SFT_NAME_PELVIS},
    {"bein", SFT_NAME_LEG},
    {"belly", SFT_NAME_TRUNK | SFT_NAME_SPINE},
    {"bow", SFT_NAME_BESIDE},
    {"braid", SFT_NAME_LOOSE},
    {"branch", SFT_NAME_LOOSE},
    {"breast", SFT_NAME_LOOSE},
    {"brow", SFT_NAME_BESIDE},
    {"bust", SFT_NAME_LOOSE},
    {"buttock", SFT_NAME_HIP},
    {"cabeza", SFT_NAME_TRUNK | SFT_NAME_HEAD},
    {"cadera", SFT_NAME_HIP},
    {"calcaneus", SFT_NAME_HEEL},
    {"calcn", SFT_NAME_HEEL},
    {"calf", SFT_NAME_SHIN},
    {"camera", SFT_NAME_BESIDE},
    {"cannon", SFT_NAME_HEEL},
    {"cape", SFT_NAME_LOOSE},
    {"carpal", SFT_NAME_ARM | SFT_NAME_HAND},
    {"carpus", SFT_NAME_ARM | SFT_NAME_HAND},
    {"cervical", SFT_NAME_TRUNK | SFT_NAME_NECK},
    {"cheek", SFT_NAME_BESIDE},
    {"chest", SFT_NAME_TRUNK | SFT_NAME_SPINE},
    {"cheville", SFT_NAME_FOOT},
    {"chin", SFT_NAME_BESIDE},
    {"clav", SFT_NAME_ARM | SFT_NAME_CLAVICLE},
    {"clavicle", SFT_NAME_ARM | SFT_NAME_CLAVICLE},
    {"cloak", SFT_NAME_LOOSE},
    {"cloth", SFT_NAME_LOOSE},
    {"coat", SFT_NAME_LOOSE},
    {"codo", SFT_NAME_ARM | SFT_NAME_FOREARM},
    {"coffin", SFT_NAME_FOOT | SFT_NAME_TOE},
    {"cog", SFT_NAME_ROOT},
    {"collar", SFT_NAME_ARM | SFT_NAME_CLAVICLE},
    {"collarbone", SFT_NAME_ARM | SFT_NAME_CLAVICLE},
    {"control", SFT_NAME_HELPER},
    {"cou", SFT_NAME_TRUNK | SFT_NAME_NECK},
    {"coude", SFT_NAME_ARM | SFT_NAME_FOREARM},
    {"coxa", SFT_NAME_HIP},
    {"cranium", SFT_NAME_TRUNK | SFT_NAME_HEAD},
    {"ctl", SFT_NAME_HELPER},
    {"ctrl", SFT_NAME_HELPER},
    {"cuello", SFT_NAME_TRUNK | SFT_NAME_NECK},
    {"cuisse", SFT_NAME_THIGH},
    {"dress", SFT_NAME_LOOSE},
    {"ear", SFT_NAME_LOOSE},
    {"elbow", SFT_NAME_ARM | SFT_NAME_FOREARM},
    {"ellbogen", SFT_NAME_ARM | SFT_NAME_FOREARM},
    {"end", SFT_NAME_END},
    {"epaule", SFT_NAME_ARM | SFT_NAME_SHOULDER},
    {"eye", SFT_NAME_TRUNK | SFT_NAME_BESIDE},
    {"eyebrow", SFT_NAME_BESIDE},
    {"eyelid", SFT_NAME_BESIDE},
    {"face", SFT_NAME_BESIDE},
    {"farm", SFT_NAME_ARM | SFT_NAME_FOREARM},
    {"feather", SFT_NAME_LOOSE | SFT_NAME_BESIDE},
    {"feet", SFT_NAME_FOOT},
    {"femur", SFT_NAME_THIGH},
    {"fetlock", SFT_NAME_LEG},
    {"fibula", SFT_NAME_SHIN},
    {"fin", SFT_NAME_LOOSE},
    {"finger", SFT_NAME_ARM | SFT_NAME_FINGER},
    {"fk", SFT_NAME_HELPER},
    {"flag", SFT_NAME_LOOSE},
    {"flipper", SFT_NAME_LOOSE},
    {"fluke", SFT_NAME_LOOSE},
    {"foot", SFT_NAME_FOOT},
    {"footstep", SFT_NAME_BESIDE},
    {"forearm", SFT_NAME_ARM | SFT_NAME_FOREARM},
    {"forefinger", SFT_NAME_ARM | SFT_NAME_FINGER | SFT_NAME_INDEX},
    {"foreleg", SFT_NAME_LEG},
    {"frarm", SFT_NAME_ARM | SFT_NAME_FOREARM},
    {"fuss", SFT_NAME_FOOT},
    {"gaskin", SFT_NAME_SHIN},
    {"genou", SFT_NAME_SHIN},
    {"global", SFT_NAME_ROOT},
    {"goal", SFT_NAME_HELPER},
    {"gun", SFT_NAME_BESIDE},
    {"hair", SFT_NAME_LOOSE},
    {"hals", SFT_NAME_TRUNK | SFT_NAME_NECK},
    {"hanche", SFT_NAME_HIP},
    {"hand", SFT_NAME_ARM | SFT_NAME_HAND},
    {"handgelenk", SFT_NAME_ARM | SFT_NAME_HAND},
    {"handslot", SFT_NAME_BESIDE},
    {"hat", SFT_NAME_BESIDE},
    {"head", SFT_NAME_TRUNK | SFT_NAME_HEAD},
    {"heel", SFT_NAME_HEEL},
    {"helmet", SFT_NAME_BESIDE},
    {"hindleg", SFT_NAME_LEG},
    {"hip", SFT_NAME_HIP},
    {"hips", SFT_NAME_TRUNK | SFT_NAME_PELVIS},
    {"hock", SFT_NAME_FOOT},
    {"hold", SFT_NAME_BESIDE},
    {"holster", SFT_NAME_BESIDE},
    {"hombro", SFT_NAME_ARM | SFT_NAME_SHOULDER},
    {"hoof", SFT_NAME_FOOT | SFT_NAME_TOE},
    {"huefte", SFT_NAME_HIP},
    {"humerus", SFT_NAME_ARM | SFT_NAME_UPPER_ARM},
    {"ik", SFT_NAME_HELPER},
    {"index", SFT_NAME_ARM | SFT_NAME_FINGER | SFT_NAME_INDEX},
    {"item", SFT_NAME_BESIDE},
    {"jambe", SFT_NAME_LEG},
    {"jaw", SFT_NAME_TRUNK | SFT_NAME_BESIDE},
    {"klavikula", SFT_NAME_ARM | SFT_NAME_CLAVICLE},
    {"knee", SFT_NAME_SHIN},
    {"knie", SFT_NAME_SHIN},
    {"kopf", SFT_NAME_TRUNK | SFT_NAME_HEAD},
    {"leaf", SFT_NAME_END},
    {"leg", SFT_NAME_LEG},
    {"lid", SFT_NAME_BESIDE},
    {"light", SFT_NAME_BESIDE},
    {"lip", SFT_NAME_BESIDE},
    {"little", SFT_NAME_LITTLE},
    {"loarm", SFT_NAME_ARM | SFT_NAME_FOREARM},
    {"loleg", SFT_NAME_SHIN},
    {"lowerarm", SFT_NAME_ARM | SFT_NAME_FOREARM},
    {"lowerback", SFT_NAME_TRUNK | SFT_NAME_SPINE},
    {"lowerleg", SFT_NAME_SHIN},
    {"lowerneck", SFT_NAME_TRUNK | SFT_NAME_NECK},
    {"lowleg", SFT_NAME_SHIN},
    {"lumbar", SFT_NAME_TRUNK | SFT_NAME_SPINE},
    {"lwrleg", SFT_NAME_SHIN},
    {"mandible", SFT_NAME_BESIDE},
    {"mane", SFT_NAME_LOOSE},
    {"mano", SFT_NAME_ARM | SFT_NAME_HAND},
    {"master", SFT_NAME_ROOT},
    {"mch", SFT_NAME_HELPER},
    {"metacarpal", SFT_NAME_ARM | SFT_NAME_FINGER},
    {"metatarsal", SFT_NAME_TOE},
    {"mid", SFT_NAME_MIDDLE},
    {"middle", SFT_NAME_MIDDLE},
    {"mount", SFT_NAME_BESIDE},
    {"mouth", SFT_NAME_BESIDE},
    {"mtp", SFT_NAME_TOE},
    {"muneca", SFT_NAME_ARM | SFT_NAME_HAND},
    {"muslo", SFT_NAME_THIGH},
    {"muzzle", SFT_NAME_BESIDE},
    {"neck", SFT_NAME_TRUNK | SFT_NAME_NECK},
    {"nose", SFT_NAME_BESIDE},
    {"nub", SFT_NAME_END},
    {"oberarm", SFT_NAME_ARM | SFT_NAME_UPPER_ARM},
    {"oberschenkel", SFT_NAME_THIGH},
    {"org", SFT_NAME_HELPER},
    {"origin", SFT_NAME_ROOT},
    {"orteil", SFT_NAME_TOE},
    {"palm", SFT_NAME_ARM | SFT_NAME_FINGER},
    {"pastern", SFT_NAME_LEG},
    {"paw", SFT_NAME_FOOT},
    {"pelvic", SFT_NAME_TRUNK | SFT_NAME_PELVIS},
    {"pelvis", SFT_NAME_TRUNK | SFT_NAME_PELVIS},
    {"phalanx", SFT_NAME_FINGER},
    {"pie", SFT_NAME_FOOT},
    {"pied", SFT_NAME_FOOT},
    {"pierna", SFT_NAME_LEG},
    {"pinkie", SFT_NAME_ARM | SFT_NAME_FINGER | SFT_NAME_LITTLE},
    {"pinky", SFT_NAME_ARM | SFT_NAME_FINGER | SFT_NAME_LITTLE},
    {"poignet", SFT_NAME_ARM | SFT_NAME_HAND},
    {"pointer", SFT_NAME_INDEX},
    {"pole", SFT_NAME_HELPER},
    {"ponytail", SFT_NAME_LOOSE},
    {"prop", SFT_NAME_BESIDE},
    {"radius", SFT_NAME_ARM | SFT_NAME_FOREARM},
    {"reference", SFT_NAME_ROOT},
    {"ribbon", SFT_NAME_LOOSE},
    {"ribcage", SFT_NAME_TRUNK | SFT_NAME_SPINE},
    {"ring", SFT_NAME_ARM | SFT_NAME_FINGER | SFT_NAME_RING},
    {"robe", SFT_NAME_LOOSE},
    {"rodilla", SFT_NAME_SHIN},
    {"roll", SFT_NAME_TWIST},
    {"root", SFT_NAME_ROOT},
    {"rope", SFT_NAME_LOOSE},
    {"rumpf", SFT_NAME_TRUNK | SFT_NAME_SPINE},
    {"scap", SFT_NAME_ARM | SFT_NAME_CLAVICLE},
    {"scapula", SFT_NAME_ARM | SFT_NAME_CLAVICLE},
    {"scarf", SFT_NAME_LOOSE},
    {"schulter", SFT_NAME_ARM | SFT_NAME_SHOULDER},
    {"sec", SFT_NAME_LOOSE},
    {"shank", SFT_NAME_SHIN},
    {"shield", SFT_NAME_BESIDE},
    {"shin", SFT_NAME_SHIN},
    {"shldr", SFT_NAME_ARM | SFT_NAME_SHOULDER},
    {"shoulder", SFT_NAME_ARM | SFT_NAME_SHOULDER},
    {"skirt", SFT_NAME_LOOSE},
    {"skull", SFT_NAME_TRUNK | SFT_NAME_HEAD},
    {"sleeve", SFT_NAME_LOOSE},
    {"slot", SFT_NAME_BESIDE},
    {"snout", SFT_NAME_BESIDE},
    {"socket", SFT_NAME_BESIDE},
    {"spina", SFT_NAME_TRUNK | SFT_NAME_SPINE},
    {"spine", SFT_NAME_TRUNK | SFT_NAME_SPINE},
    {"stifle", SFT_NAME_SHIN},
    {"stomach", SFT_NAME_TRUNK | SFT_NAME_SPINE},
    {"sword", SFT_NAME_BESIDE},
    {"tail", SFT_NAME_LOOSE | SFT_NAME_TAIL},
    {"talus", SFT_NAME_FOOT},
    {"target", SFT_NAME_HELPER},
    {"tarsus", SFT_NAME_FOOT},
    {"teeth", SFT_NAME_BESIDE},
    {"tentacle", SFT_NAME_LOOSE},
    {"tete", SFT_NAME_TRUNK | SFT_NAME_HEAD},
    {"thigh", SFT_NAME_THIGH},
    {"thorax", SFT_NAME_TRUNK | SFT_NAME_SPINE},
    {"thumb", SFT_NAME_ARM | SFT_NAME_FINGER | SFT_NAME_THUMB},
    {"tibia", SFT_NAME_SHIN},
    {"tip", SFT_NAME_END},
    {"tobillo", SFT_NAME_FOOT},
    {"toe", SFT_NAME_TOE},
    {"toebase", SFT_NAME_TOE},
    {"tongue", SFT_NAME_BESIDE},
    {"tooth", SFT_NAME_BESIDE},
    {"torso", SFT_NAME_TRUNK | SFT_NAME_SPINE},
    {"trajectory", SFT_NAME_ROOT},
    {"trunk", SFT_NAME_TRUNK | SFT_NAME_SPINE},
    {"tw", SFT_NAME_TWIST},
    {"twist", SFT_NAME_TWIST},
    {"uarm", SFT_NAME_ARM | SFT_NAME_UPPER_ARM},
    {"ulna", SFT_NAME_ARM | SFT_NAME_FOREARM},
    {"unterarm", SFT_NAME_ARM | SFT_NAME_FOREARM},
    {"unterschenkel", SFT_NAME_SHIN},
    {"uparm", SFT_NAME_ARM | SFT_NAME_UPPER_ARM},
    {"upleg", SFT_NAME_THIGH},
    {"upperarm", SFT_NAME_ARM | SFT_NAME_UPPER_ARM},
    {"upperback", SFT_NAME_TRUNK | SFT_NAME_SPINE},
    {"upperleg", SFT_NAME_THIGH},
    {"upperneck", SFT_NAME_TRUNK | SFT_NAME_NECK},
    {"uprleg", SFT_NAME_THIGH},
    {"waist", SFT_NAME_TRUNK | SFT_NAME_SPINE},
    {"weapon", SFT_NAME_BESIDE},
    {"whisker", SFT_NAME_LOOSE},
    {"wing", SFT_NAME_LOOSE | SFT_NAME_WING},
    {"world", SFT_NAME_ROOT},
    {"wrist", SFT_NAME_ARM | SFT_NAME_HAND},
    {"zehe", SFT_NAME_TOE},
};

// Searched for inside the name, longest meaning first; a hit takes its characters away.
static const entry PIECES[] = {
    {"足首", SFT_NAME_FOOT},
    {"足指", SFT_NAME_TOE},
    {"つま先", SFT_NAME_TOE},
    {"足先", SFT_NAME_TOE},
    {"足の指", SFT_NAME_TOE},
    {"脚趾", SFT_NAME_TOE},
    {"太もも", SFT_NAME_THIGH},
    {"大腿", SFT_NAME_THIGH},
    {"小腿", SFT_NAME_SHIN},
    {"ひざ", SFT_NAME_SHIN},
    {"膝", SFT_NAME_SHIN},
    {"すね", SFT_NAME_SHIN},
    {"かかと", SFT_NAME_HEEL},
    {"脚踝", SFT_NAME_FOOT},
    {"足", SFT_NAME_LEG},
    {"脚", SFT_NAME_LEG},
    {"腿", SFT_NAME_LEG},
    {"親指", SFT_NAME_ARM | SFT_NAME_FINGER | SFT_NAME_THUMB},
    {"人指", SFT_NAME_ARM | SFT_NAME_FINGER | SFT_NAME_INDEX},
    {"人差", SFT_NAME_ARM | SFT_NAME_FINGER | SFT_NAME_INDEX},
    {"中指", SFT_NAME_ARM | SFT_NAME_FINGER | SFT_NAME_MIDDLE},
    {"薬指", SFT_NAME_ARM | SFT_NAME_FINGER | SFT_NAME_RING},
    {"小指", SFT_NAME_ARM | SFT_NAME_FINGER | SFT_NAME_LITTLE},
    {"手捩", SFT_NAME_ARM | SFT_NAME_TWIST},
    {"腕捩", SFT_NAME_ARM | SFT_NAME_TWIST},
    {"手首", SFT_NAME_ARM | SFT_NAME_HAND},
    {"ひじ", SFT_NAME_ARM | SFT_NAME_FOREARM},
    {"肘", SFT_NAME_ARM | SFT_NAME_FOREARM},
    {"腕", SFT_NAME_ARM | SFT_NAME_UPPER_ARM},
    {"肩", SFT_NAME_ARM | SFT_NAME_SHOULDER},
    {"指", SFT_NAME_ARM | SFT_NAME_FINGER},
    {"手", SFT_NAME_ARM},
    {"スカート", SFT_NAME_LOOSE},
    {"髪", SFT_NAME_LOOSE},
    {"尾", SFT_NAME_LOOSE | SFT_NAME_TAIL},
    {"しっぽ", SFT_NAME_LOOSE | SFT_NAME_TAIL},
    {"胸", SFT_NAME_TRUNK},
    {"上半身", SFT_NAME_TRUNK | SFT_NAME_SPINE},
    {"下半身", SFT_NAME_TRUNK | SFT_NAME_PELVIS},
    {"首", SFT_NAME_TRUNK | SFT_NAME_NECK},
    {"頭", SFT_NAME_TRUNK | SFT_NAME_HEAD},
    {"目", SFT_NAME_BESIDE},
    {"センター", SFT_NAME_ROOT},
    {"全ての親", SFT_NAME_ROOT},
    {"ＩＫ", SFT_NAME_HELPER},
    {"捩", SFT_NAME_TWIST},
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

static uint32_t look_up_whole(const char* word)
{
    size_t first = 0, last = SFT_COUNT_OF(WORDS);
    while (first < last)
    {
        const size_t middle = (first + last) / 2;
        const int order = strcmp(word, WORDS[middle].word);
        if (order == 0) return WORDS[middle].parts;
        if (order < 0)
            last = middle;
        else
            first = middle + 1;
    }
    return 0;
}

static uint32_t look_up(const char* word)
{
    const uint32_t found = look_up_whole(word);
    const size_t length = strlen(word);
    if (found != 0 || length < 2 || length >= WORD_SIZE || word[length - 1] != 's') return found;
    char single[WORD_SIZE];
    memcpy(single, word, length - 1);
    single[length - 1] = '\0';
    const uint32_t parts = look_up_whole(single);
    // "hips" is the pelvis, not a pair of hip joints.
    return parts != SFT_NAME_HIP ? parts : 0;
}

// "lfemur", "rtoes", "lefthand": a side glued to a word that is known. The rear is no right ear.
static uint32_t look_up_glued(const char* word, int* side)
{
    if ((word[0] != 'l' && word[0] != 'r') || word[1] == '\0' || strcmp(word, "rear") == 0) return 0;
    for (int k = 0; k < 2; ++k)
    {
        const char* prefix = k == 0 ? "left" : "right";
        const size_t length = strlen(prefix);
        const uint32_t found = strncmp(word, prefix, length) == 0 ? look_up(word + length) : 0;
        if (found != 0) *side = k == 0 ? -1 : 1;
        if (found != 0) return found;
    }
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
    bool upper = false, lower = false, fore = false, animal = false, back = false;
    for (int i = 0; i < words.count; ++i)
    {
        const char* word = words.text[i];
        int side = 0;
        uint32_t found = look_up(word);
        if (found == 0) found = look_up_glued(word, &side);
        parts |= found;
        upper = upper || strcmp(word, "up") == 0 || strcmp(word, "upper") == 0;
        lower = lower || strcmp(word, "lo") == 0 || strcmp(word, "low") == 0 || strcmp(word, "lower") == 0;
        back = back || strcmp(word, "back") == 0;
        fore = fore || strcmp(word, "fore") == 0;
        animal = animal || strcmp(word, "front") == 0 || strcmp(word, "hind") == 0 || strcmp(word, "rear") == 0;
    }
    if (parts == 0 && back && (upper || lower)) parts = SFT_NAME_TRUNK | SFT_NAME_SPINE;
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
