import { styleText } from "node:util";
import { escapeInvisibleJson, escapeInvisibleLines } from "@paraph/core/escape-invisible";

export type Style = Parameters<typeof styleText>[0];

/** Colours for one stream, and how wide it is: undefined for a pipe, which nothing is cut or folded for. */
export interface Paint {
  (style: Style, text: string): string;
  readonly width: number | undefined;
}

/** Data goes to standard output, talk to standard error: a pipe gets the one and a person still sees the other. */
export interface CliOutput {
  /** One or more lines of data. */
  data(text: string): void;
  json(value: unknown): void;
  /** Data of another program. It is written byte for byte, except to a terminal. */
  raw(text: string): void;
  /** One or more lines of talk. */
  info(text: string): void;
  /** Talk that the next talk replaces; nothing where there is no terminal to replace it on. */
  status(text: string): void;
  /** Colours for data, and for talk. */
  readonly paint: Paint;
  readonly paintInfo: Paint;
  /** Whether somebody watches the talk. */
  readonly isInteractive: boolean;
}

export interface OutputStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
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
      stderr.write(`${escapeForTerminal(text, isTalkColoured)}\n`);
    },
    status(text) {
      if (!watched) return;
      clear();
      if (text === "") return;
      stderr.write(escapeForTerminal(text, isTalkColoured));
      status = true;
    },
    paint: createPaint(stdout, isDataColoured),
    paintInfo: createPaint(stderr, isTalkColoured),
    isInteractive: watched,
  };
}

/** The colours that this program uses. Others could make text invisible. */
const allowedColours = new RegExp(`(${"\u001b"}\\[(?:[1-4]|2[2-4]|3[1-6]|39|90)m)`);

/** The last guard before a terminal: text that was not made visible where it was put together is made visible here. */
function escapeForTerminal(text: string, isColoured: boolean): string {
  const plain = (part: string) => escapeInvisibleLines(part).join("\n");
  if (!isColoured) return plain(text);
  return text
    .split(allowedColours)
    .map((part, index) => (index % 2 === 1 ? part : plain(part)))
    .join("");
}

/** https://no-color.org and its opposite, FORCE_COLOR; a flag on the command line beats both. */
function isColoured(stream: OutputStream, environment: NodeJS.ProcessEnv, wanted: boolean): boolean {
  if (!wanted || environment.NO_COLOR) return false;
  if (environment.FORCE_COLOR !== undefined) return environment.FORCE_COLOR !== "0";
  return stream.isTTY === true && environment.TERM !== "dumb";
}

function createPaint(stream: OutputStream, coloured: boolean): Paint {
  const paint = (style: Style, text: string) =>
    coloured ? styleText(style, text, { validateStream: false }) : text;
  return Object.assign(paint, { width: stream.isTTY ? (stream.columns ?? 80) : undefined });
}
