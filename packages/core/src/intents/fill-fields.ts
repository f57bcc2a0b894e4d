import type { Json } from "../json.ts";
import { assignValues } from "./assign-values.ts";
import { isConjunction } from "./clauses.ts";
import { type FieldValue, isOption, isTimeUse, readFieldValue, type ValueContext } from "./field-values.ts";
import { describeField, type Field } from "./fields.ts";
import { isFiller, isNegation, type Language, toBoolean, toConcept, toPrepositionField } from "./lexicon.ts";
import type { CapabilityWords } from "./match-capability.ts";
import type { Token, ValueToken } from "./tokens.ts";
import type { IntentQuestion, IntentQuestionCode } from "./understanding.ts";

/** One clause, with the capability that it asks for. */
export interface FieldRequest extends ValueContext {
  readonly clause: readonly Token[];
  readonly words: CapabilityWords;
  /** The place of the action word in the clause. */
  readonly actionAt: number;
  readonly fields: readonly Field[];
  /** Those of the fields that describe the object of the call. Words without another use then describe it too. */
  readonly describing: readonly Field[];
  readonly languages: ReadonlySet<Language>;
  readonly step: number;
  /** The news of the earlier steps. Empty if a fact is missing, and undefined if there is nothing to tell. */
  readonly news: string | undefined;
}

/** The fields that the words fill, and the questions that remain. */
export interface FilledFields {
  readonly values: ReadonlyMap<string, Json>;
  readonly questions: readonly IntentQuestion[];
}

/** The field of a finder that takes the words of a description that belong to no other field. */
export const descriptionField = "words";

/** The words that may stand between the name of a field and its value. */
const links = new Set("is ist es to of as auf von de named called namens llamado llamada".split(" "));

/**
 * Fills the fields of one capability from one clause. Every word must have a use: as a field's name, a value, a word of
 * the capability or a connecting word. Otherwise the clause becomes a question, because the word could change the
 * meaning of the request.
 */
export function fillFields(request: FieldRequest, given: ReadonlyMap<string, Json>): FilledFields {
  return new FieldFiller(request, given).fill();
}

class FieldFiller {
  readonly #request: FieldRequest;
  readonly #values: Map<string, Json>;
  readonly #questions: IntentQuestion[] = [];
  readonly #unnamed: ValueToken[] = [];
  readonly #unclear: string[] = [];
  readonly #description: string[] = [];
  readonly #given: ReadonlyMap<string, Json>;

  constructor(request: FieldRequest, given: ReadonlyMap<string, Json>) {
    this.#request = request;
    this.#given = given;
    this.#values = new Map(given);
  }

  fill(): FilledFields {
    const { clause } = this.#request;
    for (let at = 0; at < clause.length; ) at += this.#readNamed(at) || this.#readOther(at);
    this.#assignUnnamed();
    this.#setImplied();
    if (this.#unclear.length > 0)
      this.#ask(
        "words-unclear",
        undefined,
        `These words have no clear meaning here: ${this.#unclear.map((word) => `\`${word}\``).join(", ")}. Name each value by its field, and put texts in quotation marks.`,
      );
    this.#askForMissing();
    return { values: this.#values, questions: this.#questions };
  }

  /** Reads a field's name and its value. Returns the number of tokens, or 0 if there is no such pair here. */
  #readNamed(at: number): number {
    const { clause, fields, languages } = this.#request;
    const named = fields
      .map((field) => ({ field, length: measureLabel(field, clause, at) }))
      .filter(({ length }) => length > 0)
      .sort(
        (a, b) =>
          b.length - a.length || Number(isExact(b.field, clause[at])) - Number(isExact(a.field, clause[at])),
      );
    for (const { field, length } of named) {
      const read = this.#readValues(field, at + length);
      if (read > 0 || field.use === "switch") return length + read;
    }
    const [token, next] = [clause[at]!, clause[at + 1]];
    const target = token.kind === "word" ? toPrepositionField(token.lower, languages) : undefined;
    const field =
      fields.find(({ name }) => name === target) ??
      fields.find(
        ({ use, isRequired }) => target === "to" && next?.kind === "date" && isRequired && isTimeUse(use),
      );
    // The requester answered the question that the incomplete time led to.
    const isAnswered =
      next?.kind === "date" && next.time === undefined && field && this.#given.has(field.name);
    if (isAnswered && isTimeUse(field.use)) return 2;
    const read = field && !this.#values.has(field.name) ? this.#readValues(field, at + 1) : 0;
    return read > 0 ? 1 + read : 0;
  }

  /** Reads the value of a named field, or its values if it is a list. Returns the number of tokens. */
  #readValues(field: Field, from: number): number {
    const { clause } = this.#request;
    let at = from;
    while (isLink(clause[at])) at += 1;
    if (field.use === "switch") return this.#readSwitch(field, from, at);
    const isLinked = at - from !== countMarks(clause, from, at);
    const values: Json[] = [];
    for (;;) {
      const next = this.#readOne(field, clause[at], isLinked);
      if (!next) break;
      if (next.kind === "unclear") {
        this.#askAboutValue(field, next);
        values.push(null);
      } else values.push(next.value);
      at += 1;
      if (!field.isList || !isListSeparator(clause[at]) || !this.#canBeItem(field, clause[at + 1])) break;
      at += 1;
    }
    if (values.length === 0) return 0;
    this.#set(field, field.isList ? values : values[0]!);
    return at - from;
  }

  #readSwitch(field: Field, from: number, at: number): number {
    const token = this.#request.clause[at];
    const value = token?.kind === "word" ? toBoolean(token.lower) : undefined;
    this.#set(field, value ?? true);
    return value === undefined ? 0 : at + 1 - from;
  }

  #readOne(field: Field, token: Token | undefined, isLinked: boolean) {
    if (!token || token.kind === "mark" || token.kind === "end") return undefined;
    if (token.kind === "word" && (isLinked || !this.#canBeBareValue(field, token))) return undefined;
    return readFieldValue(field, token, this.#request);
  }

  /** A single word is a value only directly after the name of its field, and only if it is nothing else. */
  #canBeBareValue(field: Field, token: Extract<Token, { kind: "word" }>): boolean {
    const { languages, fields, clause } = this.#request;
    if (isOption(field.options, token.text)) return true;
    const isOther = fields.some((one) => measureLabel(one, [token], 0) > 0);
    return !isOther && !isFiller(token.lower, languages) && !isNegation(token.lower) && clause.length > 1;
  }

  #canBeItem(field: Field, token: Token | undefined): boolean {
    return this.#readOne(field, token, false) !== undefined;
  }

  /** Reads a token that is not part of a named field. */
  #readOther(at: number): number {
    const { clause, actionAt, words, languages, fields } = this.#request;
    const token = clause[at]!;
    if (at === actionAt || token.kind === "mark" || token.kind === "end") return 1;
    if (token.kind !== "word") this.#unnamed.push(token);
    else if (isNegation(token.lower))
      this.#ask(
        "negated",
        undefined,
        `The words contain \`${token.text}\`. Say what to do, without conditions or exceptions.`,
      );
    else if (fields.filter(({ options }) => isOption(options, token.text)).length === 1)
      this.#unnamed.push(token);
    else if (
      !isFiller(token.lower, languages) &&
      !words.things.has(toConcept(token.lower)) &&
      !isConjunction(token)
    )
      (this.#request.describing.length > 0 ? this.#description : this.#unclear).push(token.text);
    return 1;
  }

  #assignUnnamed(): void {
    const { fields, describing } = this.#request;
    const isDescribing = describing.length > 0;
    const unnamed = this.#unnamed.filter(({ kind }) => !isDescribing || kind === "date");
    if (isDescribing)
      this.#description.push(...this.#unnamed.flatMap(({ kind, text }) => (kind === "date" ? [] : text)));
    const free = (isDescribing ? describing : fields).filter(({ name }) => !this.#values.has(name));
    const assigned = assignValues(unnamed, free);
    if (assigned.kind === "none") {
      this.#unclear.push(...unnamed.map(({ text }) => text));
      return;
    }
    if (assigned.kind === "several") {
      const list = unnamed.map(({ text }) => `\`${text}\``).join(", ");
      this.#ask(
        "value-ambiguous",
        undefined,
        `These values fit several fields: ${list}. Name the field before each value.`,
        assigned.fields,
      );
      return;
    }
    for (const [field, token] of assigned.pairs) {
      const read = readFieldValue(field, token, this.#request);
      if (read?.kind === "value") this.#set(field, field.isList ? [read.value] : read.value);
      else if (read) this.#askAboutValue(field, read);
      else this.#unclear.push(token.text);
    }
    this.#setCurrency();
  }

  /** Fills the fields whose values follow from others: the description, the time zone of a time, and the news. */
  #setImplied(): void {
    const { fields, describing, timeZone, news } = this.#request;
    const isFree = ({ name }: Field) => !this.#values.has(name);
    const words = describing.find(({ name }) => name === descriptionField);
    if (words && this.#description.length > 0) this.#set(words, this.#description);
    const isLocal = (field: Field) => field.use === "local-time" || describing.includes(field);
    const zone = fields.find((field) => field.use === "time-zone" && isFree(field));
    if (zone && timeZone !== undefined && fields.some((field) => isLocal(field) && !isFree(field)))
      this.#set(zone, timeZone);
    const told = fields.find((field) => field.use === "news" && field.isRequired && isFree(field));
    if (told && news !== undefined) this.#set(told, news);
  }

  /** Fills the currency of the amount, if the capability has a field for it. */
  #setCurrency(): void {
    const { clause, fields } = this.#request;
    const amount = clause.find((token) => token.kind === "amount")?.amount;
    const field = fields.find(({ use, name }) => use === "currency" && !this.#values.has(name));
    if (!amount || !field) return;
    const currencies = amount.currencies.filter(
      (one) => field.options.length === 0 || isOption(field.options, one),
    );
    const [only, ...others] = currencies;
    if (only !== undefined && others.length === 0)
      this.#set(field, field.options.find((one) => one.toLowerCase() === only.toLowerCase()) ?? only);
    else this.#ask("value-ambiguous", field, "Which currency is the amount in?", currencies);
  }

  #askForMissing(): void {
    const asked = new Set(this.#questions.map(({ field }) => field));
    // An unclear value can be the value of a missing field, so one question about it is enough.
    const isPending = this.#questions.some(
      ({ code, field }) => code === "value-ambiguous" && field === undefined,
    );
    for (const field of this.#request.fields) {
      if (!field.isRequired || this.#values.has(field.name) || asked.has(field.name) || isPending) continue;
      this.#ask("field-missing", field, askForField(field), field.options);
    }
  }

  #set(field: Field, value: Json): void {
    if (this.#values.has(field.name))
      this.#ask(
        "value-ambiguous",
        field,
        `The words give \`${field.name}\` more than one value. Which one is right?`,
      );
    this.#values.set(field.name, value);
  }

  #askAboutValue(field: Field, { message, options, isIncomplete }: Extract<FieldValue, { kind: "unclear" }>) {
    this.#ask(isIncomplete ? "field-missing" : "value-ambiguous", field, message, options);
  }

  #ask(
    code: IntentQuestionCode,
    field: Field | undefined,
    message: string,
    options: readonly string[] = [],
  ): void {
    const { step, words } = this.#request;
    this.#questions.push({
      code,
      step,
      capability: words.name,
      ...(field && { field: field.name }),
      message,
      ...(options.length > 0 && { options }),
    });
  }
}

function askForField(field: Field): string {
  return field.use === "minor-units"
    ? `How much is \`${field.name}\`? Write an amount such as €12.50.`
    : `What is ${describeField(field)}?`;
}

/** Returns the number of tokens that name the field here, or 0. */
function measureLabel({ name, label }: Field, clause: readonly Token[], at: number): number {
  const token = clause[at];
  if ((token?.kind === "term" || token?.kind === "word") && token.text === name) return 1;
  const isNamed = label.every((part, index) => {
    const one = clause[at + index];
    return one?.kind === "word" && toConcept(one.lower) === part;
  });
  return isNamed ? label.length : 0;
}

function isExact({ name }: Field, token: Token | undefined): boolean {
  return token?.text.toLowerCase() === name.toLowerCase();
}

function isLink(token: Token | undefined): boolean {
  return (token?.kind === "mark" && token.text !== ",") || (token?.kind === "word" && links.has(token.lower));
}

function countMarks(clause: readonly Token[], from: number, to: number): number {
  return clause.slice(from, to).filter(({ kind }) => kind === "mark").length;
}

function isListSeparator(token: Token | undefined): boolean {
  return (token?.kind === "mark" && token.text === ",") || isConjunction(token);
}
