import { readdirSync, readFileSync } from "node:fs";

export interface LivingProcess {
  readonly pid: number;
  readonly command: string;
}

interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  /** The start time. Together with the pid it identifies a process, because the system reuses pids. */
  readonly started: string;
  readonly command: string;
}

/**
 * The processes that originate from one root process: its descendants, and the processes that share a session with any
 * of them. The tree also includes all processes that have the marker in their environment. A process loses its parent
 * when the parent ends, so the tree remembers every process that it has found.
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

  /** Whether this platform lists processes. */
  static readonly isSupported = process.platform === "linux";

  /** Returns the running processes without the root. */
  listLiving(): readonly LivingProcess[] {
    if (!ProcessTree.isSupported) return [];
    const all = listProcesses();
    const ours = new Set<number>([this.#root]);
    // A child may be listed before its parent, so the loop repeats until it adds no process.
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

  /** Adds the processes of a session. A child that starts its own session has its pid as the session's id. */
  addSession(id: number): void {
    this.#sessions.add(id);
  }

  /** Polls the tree, so that it finds children before their parents end. */
  watch(): Disposable {
    const looking = setInterval(() => this.listLiving(), 10);
    return { [Symbol.dispose]: () => clearInterval(looking) };
  }

  killAll(): void {
    for (const { pid } of this.listLiving()) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // Ignores the error, because a process may end after it is listed.
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

  /**
   * Whether the process has the marker in its environment. The environment does not change, so it is read only once.
   */
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

/**
 * Parses `/proc/<pid>/stat`. The command is in parentheses and may itself contain parentheses. The fields are therefore
 * counted from the last closing parenthesis.
 */
function readProcessStat(pid: string): ProcessStat | undefined {
  const stat = readFileOrEmpty(`/proc/${pid}/stat`);
  const end = stat.lastIndexOf(")");
  if (end < 0) return undefined;
  const [state, parent, , session, ...rest] = stat.slice(end + 2).split(" ");
  if (state === "Z" || state === "X") return undefined;
  const command = stat.slice(stat.indexOf("(") + 1, end);
  return { pid: Number(pid), parent: Number(parent), session: Number(session), started: rest[15]!, command };
}

/** Returns an empty text if the file is gone or not readable. */
function readFileOrEmpty(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
