/** A reason why a person should review a definition before an agent reads it. */
export type Suspicion = "hidden-characters" | "instructions";

/**
 * [TRUST 7] Finds the reasons why the texts of a definition are suspicious. A model reads these texts and may follow
 * them as instructions.
 */
export function findSuspicions(definition: object): readonly Suspicion[] {
  const texts = listTexts(definition);
  return [
    ...(texts.some(hasHiddenCharacters) ? (["hidden-characters"] as const) : []),
    ...(texts.some(hasInstructions) ? (["instructions"] as const) : []),
  ];
}

/** Makes invisible characters visible, for a person who compares two definitions. */
export function showInvisible(text: string): string {
  return text.replaceAll(invisiblePattern, (each) => `\\u{${each.codePointAt(0)!.toString(16)}}`);
}

export function removeInvisible(text: string): string {
  return hasHiddenCharacters(text) ? text.replaceAll(invisiblePattern, "") : text;
}

/**
 * Lists all texts, including those in schemas, because a model also reads the description and the default of every
 * argument.
 */
function listTexts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => [name, ...listTexts(each)]);
}

/** Whether a text has hidden characters. Joiners and variation selectors of emojis do not count. */
export function hasHiddenCharacters(text: string): boolean {
  return text.replaceAll(emojiPattern, "").search(invisiblePattern) >= 0;
}

/**
 * Whether a text seems to give instructions to a model. Every pattern has bounded repetition, because the text is
 * untrusted.
 */
function hasInstructions(text: string): boolean {
  const plain = text.replaceAll(/\s+/g, " ");
  return instructionPatterns.some((each) => each.test(plain));
}

/**
 * The pattern of invisible characters: control, format and filler characters, direction marks, and tag characters. Tag
 * characters can spell invisible text.
 */
const invisiblePattern = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const emojiPattern =
  /(?<=\p{Emoji})\ufe0f|(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic})/gu;

const instructionPatterns: readonly RegExp[] = [
  /\b(ignore|disregard|forget|override) (all |any |the )?(previous|prior|above|earlier|other) (instruction|rule|tool|prompt|message)/i,
  /\b(do not|don't|never) (tell|mention|inform|reveal|show|notify)\b.{0,40}\b(user|anyone|them|human|person)/i,
  /\bwithout (telling|asking|informing|notifying|mentioning)\b/i,
  /<\/?(important|system|instructions?|secret|admin|assistant|user)>/i,
  /\b(before|after|instead of|whenever) (using|calling|you use|you call) (this|any|other|another|the)\b.{0,40}\b(tool|function)/i,
  /\byou (must|should|have to|need to) (always |first )?(call|invoke|read|send|include|pass|forward|fetch)\b/i,
  /\bsystem prompt\b/i,
  /\b(conversation|chat) history\b/i,
  /(~|\/home\/\w{1,32}|\/root)\/\.(ssh|aws|gnupg|cursor|config|env|netrc)/i,
];
