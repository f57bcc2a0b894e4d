import { pino } from "pino";
import { type Allowed, filterAllowed, logFields } from "./allow-list.ts";
import { formatPrettyLine } from "./pretty-log.ts";
import { isCode } from "./value-shapes.ts";

const levels = ["debug", "info", "warn", "error"] as const;
type Level = (typeof levels)[number];

/** [P10] A log function that takes codes, ids and numbers, and accepts no free text. */
export type Log = (level: Level, code: string, fields?: Allowed<typeof logFields>) => void;

/** The options of `createLog`. */
export interface LogOptions {
  readonly level: Level | "silent";
  /** Whether to format lines for people (default: true if the destination is a terminal). */
  readonly pretty?: boolean;
  /** The destination (default: standard error, because standard output is for data). */
  readonly destination?: Destination;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

interface Destination {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** Creates a log that writes JSON lines, or readable lines on a terminal. */
export function createLog(options: LogOptions): Log {
  const logger = pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: createWriter(options) },
  );
  return (level, code, fields = {}) => {
    try {
      if (!levels.includes(level)) return;
      logger[level]({ code: isCode(code) ? code : "code-unsafe", ...filterAllowed(logFields, fields) });
    } catch {
      // Ignores the error, because a failing log must not stop the caller.
    }
  };
}

function createWriter({ destination, pretty, env = process.env }: LogOptions): (line: string) => void {
  const to = destination ?? openStandardError();
  const terminal = to.isTTY === true;
  if (!(pretty ?? terminal)) return (line) => void to.write(line);
  const colour = terminal && !env.NO_COLOR;
  return (line) => void to.write(formatPrettyLine(line, colour));
}

/**
 * Opens standard error for synchronous writes, so that the last lines of a dying process are kept. It ignores a broken
 * pipe.
 */
function openStandardError(): Destination {
  const sink = pino.destination({ fd: 2, sync: true });
  sink.on("error", () => {});
  return { write: (text) => sink.write(text), isTTY: process.stderr.isTTY };
}
