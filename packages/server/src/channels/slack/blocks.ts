import { escapeInvisible } from "@paraph/core/escape-invisible";

/** A block of Slack's Block Kit. */
export type Block = { readonly type: string } & Readonly<Record<string, unknown>>;

/** A part of a `rich_text` block. */
export type RichPart = { readonly type: string } & Readonly<Record<string, unknown>>;

/**
 * [TRUST 5] A text of a `rich_text` block. Slack shows it as it is: it reads no mentions, links or formatting in it.
 * Hidden characters become visible.
 */
export function text(value: string, style?: { readonly bold?: boolean; readonly code?: boolean }): RichPart {
  return { type: "text", text: show(value), ...(style && { style }) };
}

export const bold = (value: string) => text(value, { bold: true });

/** A time in the reader's own time zone. */
export function time(at: number, fallback: string): RichPart {
  return {
    type: "date",
    timestamp: Math.floor(at / 1_000),
    format: "{date_short_pretty} at {time}",
    fallback,
  };
}

/** A paragraph of a `rich_text` block. */
export function line(...elements: readonly RichPart[]): RichPart {
  return { type: "rich_text_section", elements };
}

/** Text in a monospaced box. Its lines stay. */
export function box(value: string): RichPart {
  return { type: "rich_text_preformatted", elements: [{ type: "text", text: showLines(value) }] };
}

/** Text that someone outside of Paraph wrote, with a bar on its left. */
export function quote(value: string): RichPart {
  return { type: "rich_text_quote", elements: [{ type: "text", text: showLines(value) }] };
}

export function rich(...elements: readonly RichPart[]): Block {
  return { type: "rich_text", elements };
}

const maxHeader = 150;

/** A large title. Slack reads no formatting in it. */
export function header(value: string): Block {
  return { type: "header", text: plain(value, maxHeader) };
}

/** Small text below the rest. */
export function footnote(...texts: readonly string[]): Block {
  return { type: "context", elements: texts.map((value) => plain(value, 300)) };
}

/** A button. `value` comes back when a person presses it, and `url` opens a page. */
export function button(
  action: string,
  label: string,
  more: { readonly value?: string; readonly url?: string; readonly style?: "primary" | "danger" },
): Block {
  return { type: "button", action_id: action, text: plain(label), ...more };
}

export function buttons(...elements: readonly Block[]): Block {
  return { type: "actions", elements };
}

/** A field of a dialog for a text of several lines. */
export function textField(label: string, isOptional: boolean): Block {
  return {
    type: "input",
    block_id: "reason",
    optional: isOptional,
    label: plain(label),
    element: { type: "plain_text_input", action_id: "text", multiline: true, max_length: 2_000 },
  };
}

/** A dialog. Without `submit`, it only shows something. */
export function dialog(
  title: string,
  blocks: readonly Block[],
  submit?: { readonly label: string; readonly callback: string; readonly metadata: string },
): Block {
  return {
    type: "modal",
    title: plain(title),
    close: plain(submit ? "Cancel" : "Close"),
    blocks,
    ...(submit && {
      submit: plain(submit.label),
      callback_id: submit.callback,
      private_metadata: submit.metadata,
    }),
  };
}

/** Escapes the three characters that Slack reads in texts other than those of `rich_text` blocks. */
export function escapeText(value: string): string {
  return show(value).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Cuts a text, and marks the cut. */
export function cut(value: string, max: number): string {
  const shown = show(value);
  return shown.length > max ? `${shown.slice(0, max - 1).toWellFormed()}…` : shown;
}

/** Slack counts the characters after the escape, so a text with many of the three characters is cut earlier. */
function plain(value: string, max = 75) {
  let kept = max;
  while (escapeText(cut(value, kept)).length > max) kept--;
  return { type: "plain_text", text: escapeText(cut(value, kept)), emoji: false };
}

function show(value: string): string {
  return escapeInvisible(value).toWellFormed();
}

/** Makes hidden characters visible, and keeps lines and tabs. */
export function showLines(value: string): string {
  const shown = value.replace(/\n$/, "").split("\n");
  return shown.map((one) => one.split("\t").map(show).join("\t")).join("\n");
}
