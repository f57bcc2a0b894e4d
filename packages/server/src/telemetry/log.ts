import { pino } from "pino";
import { type Allowed, filterAllowed, logFields } from "./allow-list.ts";
import { formatPrettyLine } from "./pretty-log.ts";
import { isCode } from "./value-shapes.ts";

const levels = ["debug", "info", "warn", "error"] as const;
type Level = (typeof levels)[number];

/** [P10] Codes, ids and numbers: there is no way to log a sentence. */
export type Log = (level: Level, code: string, fields?: Allowed<typeof logFields>) => void;

export interface LogOptions {
  readonly level: Level | "silent";
  /** For people; by default when the destination is a terminal. */
  readonly pretty?: boolean;
  /** Standard error unless given: standard output belongs to data. */
  readonly destination?: Destination;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

interface Destination {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

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
      // A log that cannot be written stops nobody's work.
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

/** Written at once, so that a process that dies has said why. A broken pipe is ignored. */
function openStandardError(): Destination {
  const sink = pino.destination({ fd: 2, sync: true });
  sink.on("error", () => {});
  return { write: (text) => sink.write(text), isTTY: process.stderr.isTTY };
}
