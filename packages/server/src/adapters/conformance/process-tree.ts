import { readdirSync, readFileSync } from "node:fs";

/** A process that is alive. */
export interface LivingProcess {
  readonly pid: number;
  readonly command: string;
}

interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  /** With the pid, the name of one process: pids are used again. */
  readonly started: string;
  readonly command: string;
}

/**
 * The processes that come from one: its descendants, what shares a session with any of them, and what carries the mark
 * in its environment. One whose parent ended is nobody's child any more, so whoever was seen once is remembered.
 */
export class ProcessTree {
  readonly #root: number;
  readonly #mark: string;
  readonly #seen = new Set<string>();
  readonly #sessions = new Set<number>();
  readonly #strangers = new Set<string>();

  constructor(root: number, mark: string) {
    this.#root = root;
    this.#mark = mark;
  }

  /** Whether this platform lets one look. */
  static readonly isSupported = process.platform === "linux";

  /** Who of them is alive now, the first one left out. */
  listLiving(): readonly LivingProcess[] {
    if (!ProcessTree.isSupported) return [];
    const all = listProcesses();
    const ours = new Set<number>([this.#root]);
    // Parents are not always listed before their children: until nobody is added any more.
    for (let before = -1; before !== ours.size; ) {
      before = ours.size;
      for (const one of all) if (this.#belongs(one, ours)) ours.add(one.pid);
    }
    const living = all.filter(({ pid }) => ours.has(pid));
    for (const one of living) {
      this.#seen.add(toProcessKey(one));
      this.#sessions.add(one.session);
    }
    return living.filter(({ pid }) => pid !== this.#root);
  }

  /** Looks again and again, for those whose parents will not be there to be asked. */
  watch(): Disposable {
    const looking = setInterval(() => this.listLiving(), 10);
    return { [Symbol.dispose]: () => clearInterval(looking) };
  }

  /** Ends whoever is left. */
  killAll(): void {
    for (const { pid } of this.listLiving()) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended by itself meanwhile.
      }
    }
  }

  #belongs(one: ProcessStat, ours: ReadonlySet<number>): boolean {
    return (
      ours.has(one.parent) ||
      this.#seen.has(toProcessKey(one)) ||
      this.#sessions.has(one.session) ||
      one.session === this.#root ||
      this.#isMarked(one)
    );
  }

  /** A process keeps the environment it was started with: it is read once. */
  #isMarked(one: ProcessStat): boolean {
    if (this.#strangers.has(toProcessKey(one))) return false;
    if (readFileOrEmpty(`/proc/${one.pid}/environ`).includes(this.#mark)) return true;
    this.#strangers.add(toProcessKey(one));
    return false;
  }
}

function toProcessKey({ pid, started }: ProcessStat): string {
  return `${pid}:${started}`;
}

function listProcesses(): ProcessStat[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => readProcessStat(pid) ?? []);
}

/** The command stands in brackets and may hold brackets itself: fields are counted from the last one. */
function readProcessStat(pid: string): ProcessStat | undefined {
  const stat = readFileOrEmpty(`/proc/${pid}/stat`);
  const end = stat.lastIndexOf(")");
  if (end < 0) return undefined;
  const [state, parent, , session, ...rest] = stat.slice(end + 2).split(" ");
  if (state === "Z" || state === "X") return undefined;
  const command = stat.slice(stat.indexOf("(") + 1, end);
  return { pid: Number(pid), parent: Number(parent), session: Number(session), started: rest[15]!, command };
}

/** Nothing, where it is gone or not ours to read. */
function readFileOrEmpty(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
