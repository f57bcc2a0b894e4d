import type { Json } from "../json.ts";
import { type Day, findMoments, formatDay, formatMoment, formatTimeOfDay, isTimeZone } from "./calendar.ts";
import type { Field } from "./fields.ts";
import { readCurrency } from "./numbers.ts";
import type { Token, ValueToken } from "./tokens.ts";

/** The value of a field, or the question that keeps the value from being certain. */
export type FieldValue =
  | { readonly kind: "value"; readonly value: Json }
  | {
      readonly kind: "unclear";
      readonly message: string;
      readonly options?: readonly string[];
      /** Whether the words lack a part of the value, so that an answer can be the whole value. */
      readonly isIncomplete?: true;
    };

/** The requester's time zone, and the day to which a time without a day belongs. */
export interface ValueContext {
  readonly timeZone: string | undefined;
  readonly day?: Day | undefined;
}

const maxOptions = 10;

/** Returns the value that a token gives a field, or undefined if the token cannot be a value of the field. */
export function readFieldValue(
  field: Field,
  token: ValueToken,
  context: ValueContext,
): FieldValue | undefined {
  const option = field.options.find((one) => one.toLowerCase() === token.text.toLowerCase());
  if (option !== undefined && field.type === "string") return toValue(option);
  switch (token.kind) {
    case "amount":
      return readAmountValue(field, token.amount.minor, token.amount.decimals);
    case "number":
      return readNumberValue(field, token);
    case "date":
      return readDateValue(field, token, context);
    default:
      return readTextValue(field, token);
  }
}

function readAmountValue({ use }: Field, minor: number, decimals: number): FieldValue | undefined {
  if (use === "minor-units") return toValue(minor);
  return use === "major-units" ? toValue(minor / 10 ** decimals) : undefined;
}

function readNumberValue(
  field: Field,
  { values, text }: Extract<Token, { kind: "number" }>,
): FieldValue | undefined {
  if (field.type === "string")
    return field.use === "text" && field.options.length === 0 ? toValue(text) : undefined;
  if (field.type !== "integer" && field.type !== "number") return undefined;
  const fitting = values.filter((value) => field.type === "number" || Number.isInteger(value));
  const [only, ...others] = fitting;
  if (only === undefined)
    return { kind: "unclear", message: `\`${field.name}\` is a whole number, and \`${text}\` is not.` };
  if (others.length === 0) return toValue(only);
  return {
    kind: "unclear",
    message: `\`${text}\` can be several numbers. Which one is \`${field.name}\`?`,
    options: fitting.map(String),
  };
}

function readDateValue(
  { use, name }: Field,
  { days, time, part, text }: Extract<Token, { kind: "date" }>,
  { timeZone, day: ownDay }: ValueContext,
): FieldValue | undefined {
  if (use !== "day" && !isTimeUse(use)) return undefined;
  const [day, ...otherDays] = days ?? (use === "local-time" && ownDay ? [ownDay] : []);
  if (day === undefined) {
    const zone =
      timeZone === undefined ? " Name the day as 2026-12-31, or send your time zone." : " Name the day.";
    return { kind: "unclear", message: `\`${text}\` is no certain day for \`${name}\`.${zone}` };
  }
  if (otherDays.length > 0)
    return { kind: "unclear", message: `Which day is \`${text}\`?`, options: days!.map(formatDay) };
  if (use === "day")
    return time === undefined && part === undefined
      ? toValue(formatDay(day))
      : { kind: "unclear", message: `\`${name}\` is a day, without a time.` };
  if (time === undefined) {
    const when = part === undefined ? `on ${formatDay(day)}` : `in the ${part} of ${formatDay(day)}`;
    const message = `At what time ${when} is \`${name}\`?`;
    // A time such as `15:00` is a whole answer only if the field takes the day from the object of the call.
    return { kind: "unclear", message, ...(use === "local-time" && ownDay && { isIncomplete: true }) };
  }
  if (use === "local-time") return toValue(`${formatDay(day)}T${formatTimeOfDay(time)}`);
  if (timeZone === undefined)
    return { kind: "unclear", message: `In which time zone is \`${text}\`? Send your time zone.` };
  const moments = findMoments(day, time, timeZone).map(formatMoment);
  if (moments.length === 1) return toValue(moments[0]!);
  return moments.length === 0
    ? {
        kind: "unclear",
        message: `The clock change in ${timeZone} skips \`${text}\`. Which time is \`${name}\`?`,
      }
    : {
        kind: "unclear",
        message: `The clock change in ${timeZone} repeats \`${text}\`. Which time is it?`,
        options: moments,
      };
}

function readTextValue(
  field: Field,
  token: Extract<ValueToken, { kind: "word" | "term" | "quoted" }>,
): FieldValue | undefined {
  const { type, use, options, name } = field;
  const { text } = token;
  if (type !== "string") return undefined;
  if (options.length > 0)
    return token.kind === "word"
      ? undefined
      : { kind: "unclear", message: `\`${name}\` is one of these.`, options: options.slice(0, maxOptions) };
  if (use === "currency")
    return readCurrency(text).length === 1 ? toValue(readCurrency(text)[0]!) : undefined;
  if (use === "address") return isAddress(text) ? toValue(text) : undefined;
  if (use === "url") return isUrl(text) ? toValue(text) : undefined;
  if (use === "moment") return isMoment(text) ? toValue(text) : undefined;
  if (use === "time-zone") return isTimeZone(text) ? toValue(text) : undefined;
  if (use === "local-time") return isLocalTime(text) ? toValue(text) : undefined;
  return use === "text" || use === "news" || use === "path" ? toValue(text) : undefined;
}

/** Returns whether an unnamed token looks like a value of the field. A named token needs only the field's type. */
export function couldBelong(field: Field, token: ValueToken, fields: readonly Field[]): boolean {
  const { use, options, type } = field;
  if (options.length > 0) return token.kind !== "quoted" && isOption(options, token.text);
  if (token.kind === "amount") return use === "minor-units" || use === "major-units";
  if (token.kind === "number") return use === "number";
  if (token.kind === "date") return use === "day" || isTimeUse(use);
  if (token.kind === "word" || type !== "string") return false;
  const { text } = token;
  const hasUse = (wanted: Field["use"]) => fields.some((one) => one.use === wanted);
  if (isUrl(text) && hasUse("url")) return use === "url";
  if (isAddress(text) && hasUse("address")) return use === "address";
  if (isMoment(text) && hasUse("moment")) return use === "moment";
  if (isLocalTime(text) && hasUse("local-time")) return use === "local-time";
  const isPath = isPathLike(text) && hasUse("path");
  if (token.kind === "term") return isPath ? use === "path" : use === "text";
  return use === "text" || use === "news" || (isPath && use === "path");
}

/**
 * Returns whether a capability has a field for the kind of each unnamed value. Of several capabilities with the same
 * action, a path belongs to the one that takes paths.
 */
export function hasFieldsFor(tokens: readonly Token[], fields: readonly Field[]): boolean {
  const hasUse = (wanted: Field["use"]) => fields.some(({ use }) => use === wanted);
  return tokens.every((token) => {
    if (token.kind === "amount") return hasUse("minor-units") || hasUse("major-units");
    if (token.kind !== "term") return true;
    if (isUrl(token.text)) return hasUse("url");
    if (isAddress(token.text)) return hasUse("address");
    return !isPathLike(token.text) || hasUse("path");
  });
}

export function isOption(options: readonly string[], text: string): boolean {
  return options.some((one) => one.toLowerCase() === text.toLowerCase());
}

function toValue(value: Json): FieldValue {
  return { kind: "value", value };
}

function isAddress(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(text) && /^[^@]+@.+\../.test(text);
}

function isUrl(text: string): boolean {
  return /^https?:\/\/[^\s]+$/.test(text);
}

function isMoment(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/.test(text);
}

function isLocalTime(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?$/.test(text);
}

/** Returns whether a field holds a time of day together with its day. */
export function isTimeUse(use: Field["use"]): boolean {
  return use === "moment" || use === "local-time";
}

function isPathLike(text: string): boolean {
  return !/\s/.test(text) && (text.includes("/") || /[^.]\.[A-Za-z][A-Za-z0-9]{0,9}$/.test(text));
}
