import { styleText } from "node:util";
import { escapeInvisibleJson, escapeInvisibleLines } from "@paraph/core/escape-invisible";
import { wrapProse } from "./width.ts";

type StyleName =
  | ("bold" | "dim" | "italic" | "underline")
  | ("red" | "green" | "yellow" | "blue" | "magenta" | "cyan" | "gray");

/** The styles whose escape sequences `allowedColours` lets through. */
export type Style = StyleName | readonly StyleName[];

/** The style of unmarked text. */
export const plain: Style = [];

/**
 * The colours and the width of a stream. The width is undefined for a pipe, so that no text is truncated or wrapped.
 */
export interface Paint {
  (style: Style, text: string): string;
  readonly width: number | undefined;
}

/**
 * The output of a command. Data goes to standard output and messages go to standard error, so that a pipe gets only the
 * data.
 */
export interface CliOutput {
  /** Writes one or more lines of data. */
  data(text: string): void;
  json(value: unknown): void;
  /**
   * Writes the data of another program. A pipe or file gets the data byte for byte. For a terminal, hidden characters
   * are escaped.
   */
  raw(text: string): void;
  /** Writes one or more lines of messages. */
  info(text: string): void;
  /** Writes a status line that the next message replaces. Without a terminal it writes nothing. */
  status(text: string): void;
  /**
   * Opens a screen that shows one text in place of another. The terminal's content returns when the screen closes or the
   * process exits. Undefined if standard output is not a terminal.
   */
  openScreen(): Screen | undefined;
  /** The colours for data. */
  readonly paint: Paint;
  /** Paint: The colours for messages. */
  readonly paintInfo: Paint;
  /** Whether stderr is a terminal. */
  readonly isInteractive: boolean;
}

/** A text that fills the terminal and changes in place. */
export interface Screen {
  /** Shows the text. Lines below the last row of the terminal are left out. */
  draw(text: string): void;
  close(): void;
}

export interface OutputStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

export function createOutput(
  stdout: OutputStream,
  stderr: OutputStream,
  environment: NodeJS.ProcessEnv,
  options: { color: boolean },
): CliOutput {
  let status = false;
  const clear = () => {
    if (status) stderr.write("\r\u001b[K");
    status = false;
  };
  const watched = stderr.isTTY === true && environment.TERM !== "dumb";
  const isDataColoured = isColoured(stdout, environment, options.color);
  const isTalkColoured = isColoured(stderr, environment, options.color);
  const paintInfo = createPaint(stderr, isTalkColoured);
  return {
    data(text) {
      clear();
      stdout.write(`${escapeForTerminal(text, isDataColoured)}\n`);
    },
    json(value) {
      clear();
      stdout.write(`${escapeInvisibleJson(value, stdout.isTTY ? 2 : undefined)}\n`);
    },
    raw(text) {
      clear();
      stdout.write(stdout.isTTY ? escapeForTerminal(text.replaceAll("\r\n", "\n"), false) : text);
    },
    info(text) {
      clear();
      stderr.write(`${wrapProse(escapeForTerminal(text, isTalkColoured), paintInfo.width)}\n`);
    },
    status(text) {
      if (!watched) return;
      clear();
      if (text === "") return;
      stderr.write(escapeForTerminal(text, isTalkColoured));
      status = true;
    },
    openScreen: () =>
      stdout.isTTY && environment.TERM !== "dumb"
        ? openScreen(stdout, (text) => escapeForTerminal(text, isDataColoured))
        : undefined,
    paint: createPaint(stdout, isDataColoured),
    paintInfo,
    isInteractive: watched,
  };
}

/**
 * The colour codes that this program uses. All other colour codes are escaped, because they could make text invisible.
 */
const allowedColours = new RegExp(`(${"\u001b"}\\[(?:[1-4]|2[2-4]|3[1-6]|39|90)m)`);

/** Escapes text before it reaches a terminal, in case the code that built the text did not escape it. */
function escapeForTerminal(text: string, isColoured: boolean): string {
  const plain = (part: string) => escapeInvisibleLines(part).join("\n");
  if (!isColoured) return plain(text);
  return text
    .split(allowedColours)
    .map((part, index) => (index % 2 === 1 ? part : plain(part)))
    .join("");
}

/**
 * Returns whether to use colours. `--no-color` or `NO_COLOR` (https://no-color.org) turns colours off. If neither is
 * set, `FORCE_COLOR=0` turns colours off, and any other value of `FORCE_COLOR` turns them on.
 */
function isColoured(stream: OutputStream, environment: NodeJS.ProcessEnv, wanted: boolean): boolean {
  if (!wanted || environment.NO_COLOR) return false;
  if (environment.FORCE_COLOR !== undefined) return environment.FORCE_COLOR !== "0";
  return stream.isTTY === true && environment.TERM !== "dumb";
}

/**
 * Opens the terminal's second screen, without a cursor. Each text overwrites the last one line by line, because a screen
 * that is erased first would flicker.
 */
function openScreen(stdout: OutputStream, sanitize: (text: string) => string): Screen {
  stdout.write("\u001b[?1049h\u001b[?25l");
  const close = () => {
    process.off("exit", close);
    stdout.write("\u001b[?25h\u001b[?1049l");
  };
  process.once("exit", close);
  return {
    draw(text) {
      const lines = sanitize(text)
        .split("\n")
        .slice(0, stdout.rows || 24);
      stdout.write(`\u001b[H${lines.join("\u001b[K\n")}\u001b[K\u001b[J`);
    },
    close,
  };
}

function createPaint(stream: OutputStream, coloured: boolean): Paint {
  const paint = (style: Style, text: string) =>
    coloured ? styleText(style as Parameters<typeof styleText>[0], text, { validateStream: false }) : text;
  // A pseudo-terminal whose size was never set, such as the one of `script`, reports 0 columns.
  return Object.defineProperty(paint, "width", {
    get: () => (stream.isTTY ? stream.columns || 80 : undefined),
  }) as Paint;
}
