import { styleText } from "node:util";
import { visibleJson } from "@paraph/core/visible";

export type Style = Parameters<typeof styleText>[0];

/** Colours for one stream, and how wide it is: undefined for a pipe, which nothing is cut or folded for. */
export interface Paint {
  (style: Style, text: string): string;
  readonly width: number | undefined;
}

/** Data goes to standard output, talk to standard error: a pipe gets the one and a person still sees the other. */
export interface Output {
  /** One or more lines of data. */
  data(text: string): void;
  json(value: unknown): void;
  /** Data of another program's making, byte for byte. */
  raw(text: string): void;
  /** One or more lines of talk. */
  say(text: string): void;
  /** Talk that the next talk replaces; nothing where there is no terminal to replace it on. */
  status(text: string): void;
  /** Colours for data, and for talk. */
  readonly paint: Paint;
  readonly paintTalk: Paint;
  /** Whether somebody watches the talk. */
  readonly watched: boolean;
}

export interface Stream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export function outputTo(
  stdout: Stream,
  stderr: Stream,
  environment: NodeJS.ProcessEnv,
  options: { color: boolean },
): Output {
  let status = false;
  const clear = () => {
    if (status) stderr.write("\r\u001b[K");
    status = false;
  };
  const watched = stderr.isTTY === true && environment.TERM !== "dumb";
  return {
    data(text) {
      clear();
      stdout.write(`${text}\n`);
    },
    json(value) {
      clear();
      stdout.write(`${visibleJson(value, stdout.isTTY ? 2 : undefined)}\n`);
    },
    raw(text) {
      clear();
      stdout.write(text);
    },
    say(text) {
      clear();
      stderr.write(`${text}\n`);
    },
    status(text) {
      if (!watched) return;
      clear();
      if (text === "") return;
      stderr.write(text);
      status = true;
    },
    paint: painter(stdout, isColoured(stdout, environment, options.color)),
    paintTalk: painter(stderr, isColoured(stderr, environment, options.color)),
    watched,
  };
}

/** https://no-color.org and its opposite, FORCE_COLOR; a flag on the command line beats both. */
function isColoured(stream: Stream, environment: NodeJS.ProcessEnv, wanted: boolean): boolean {
  if (!wanted || environment.NO_COLOR) return false;
  if (environment.FORCE_COLOR !== undefined) return environment.FORCE_COLOR !== "0";
  return stream.isTTY === true && environment.TERM !== "dumb";
}

function painter(stream: Stream, coloured: boolean): Paint {
  const paint = (style: Style, text: string) =>
    coloured ? styleText(style, text, { validateStream: false }) : text;
  return Object.assign(paint, { width: stream.isTTY ? (stream.columns ?? 80) : undefined });
}
