/** What about a definition's texts a person should look at before an agent does. */
export type Suspicion = "hidden-characters" | "instructions";

/** [TRUST 7] A tool's description is read by a model, which takes it for what it is told to do. */
export function suspicionsIn(definition: object): readonly Suspicion[] {
  const texts = textsIn(definition);
  return [
    ...(texts.some(hidesCharacters) ? (["hidden-characters"] as const) : []),
    ...(texts.some(instructs) ? (["instructions"] as const) : []),
  ];
}

/** Makes visible what is not: for whoever compares two definitions. */
export function shown(text: string): string {
  return text.replaceAll(invisible, (each) => `\\u{${each.codePointAt(0)!.toString(16)}}`);
}

/** Without what nobody sees. */
export function withoutHidden(text: string): string {
  return hidesCharacters(text) ? text.replaceAll(invisible, "") : text;
}

/** Also those in schemas: a model reads the description of every argument, and its default. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => [name, ...textsIn(each)]);
}

/** What makes one picture of several, or a picture of a sign, hides nothing. */
export function hidesCharacters(text: string): boolean {
  return text.replaceAll(pictures, "").search(invisible) >= 0;
}

/** Every pattern is bounded: the text is a stranger's. */
function instructs(text: string): boolean {
  const plain = text.replaceAll(/\s+/g, " ");
  return instructions.some((each) => each.test(plain));
}

/** Control, format and filler characters, directions, and the tags that spell a text nobody sees. */
const invisible = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const pictures =
  /(?<=\p{Emoji})\ufe0f|(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic})/gu;

const instructions: readonly RegExp[] = [
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
