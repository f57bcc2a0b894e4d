// Makes docs/proof.md from the result files in docs/proof/: no figure in it is typed by hand.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../docs/proof/", import.meta.url));
const page = fileURLToPath(new URL("../docs/proof.md", import.meta.url));

interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly kernel: string;
  readonly node: string;
  readonly restate: string;
  readonly commit: string;
  readonly loadBefore: number;
  readonly fdatasync: { readonly p50: number };
}

interface LabFile {
  readonly run: string;
  readonly seed: number;
  readonly command: string;
  readonly at: string;
  readonly machine: Machine;
  readonly figures: Record<string, number | string>;
  readonly violations: readonly { rule: string; call: string; what: string }[];
}

interface BenchFile {
  readonly name: string;
  readonly at: string;
  /** Where calls are carried out, of the benchmark that compares them with the bare engine. */
  readonly performed?: string;
  /** How many cores others on the machine took meanwhile, where that was measured. */
  readonly othersCores?: number;
  /** What else has to be known to read the figures, in a sentence. */
  readonly conditions?: string;
  readonly machine: Machine & { readonly postgres: string };
  readonly targets: readonly { what: string; aim: string; measured: string; met?: boolean }[];
}

const lab: Record<string, string> = {
  "crash-points":
    "Every durable boundary of admission, of performance and of all that people do about a call (decide, edit, return, withdraw, hand over, talk, find out what became of it), of what agents perform themselves, of plans and their steps (begun, taken, covered, failed and undone, taken back), of a contract that changes meanwhile and of webhooks, before and after it; there the process itself, PostgreSQL or Restate is killed with SIGKILL. The boundaries are found by running.",
  effects:
    "The same with real adapters: a push to a git remote that writes down every update of its branches, a row inserted into PostgreSQL, a command-line tool that cannot be run twice and one that can. At every durable boundary, and at eight moments between the intent and its end, the process, PostgreSQL or Restate is killed. Each effect happens once, as the remote, the table and the files tell; how one ended is unknown only where its contract says that nobody can find out.",
  injection:
    "Hostile values (shells, options, paths, refs, URLs, headers, SQL, templates, odd Unicode, joined, cut and escaped) through every place that takes one from an agent. Behind each is a spy: no process but the one that was meant, no file outside the root, no request to a forbidden address; `reached` counts how often the spy saw what it should.",
  storm:
    "Three replicated engine nodes, two API processes, two workers, PostgreSQL; reads, writes, approvals by one and by two, edits, returns, withdrawals, findings and second tries, plans approved in part, failing in each way and undone, contended locks, duplicate deliveries, webhooks; one after another is killed or frozen, rarely, and not in every run, the whole engine loses its disk. Recovery is how long a call made at the moment of a blow takes to end.",
  locks:
    "Calls that all want one key, in peace and while workers are killed: never two at once, in the order they queued.",
  freeze:
    "Two API processes and two workers under half of the most calls they were measured to bear, reads and writes, free and approved, of four agents. A principal, a capability, an adapter and the tenant are frozen in turn by an administrator's call; meanwhile an API process and a worker are killed, now and then everything. Held against the order of PostgreSQL's transactions and the oracle's clock: nothing is accepted or intended once a freeze has answered, what may still act is on its list, and what was parked goes on after the thaw, once.",
  limits:
    "64 callers want more than a limit on calls, a budget, places and a grant have room for, while API processes and workers are killed. Never exceeded, as the oracle counts; in the end what is counted is what really happened, nothing is reserved but by outcomes nobody knows, and the grant is spent as often as an intent named it.",
  clock:
    "The database's clock, which decides every wait, leaps an hour or a month, there and back, while calls of every kind are made. Times of different witnesses cannot be compared then; everything else is.",
  planted:
    "Bugs planted in a copy of the product, one at a time: each must be caught by the test that is named for it.",
};

const bench: Record<string, string> = {
  call: "(a) a bare Restate handler with one empty step, (b) a governed write that policy allows, (c) a governed read, (d) the function itself; interleaved in one run, medians.",
  plan: "A plan of 1,000 steps against plans of ten, as many steps of each in turn: previewed without being made, then made and waited for. Each step is a governed write under a lock of its own, with its own receipt.",
  capabilities:
    "Two API processes side by side, one with ten capabilities and one with a thousand of a hundred adapters, each with a schema of its own: how long a start takes, a page of the list, a read and a write at one connection, in turn.",
  approvals:
    "20,000 approvals wait in one tenant, most of them in floods, large and small, with their messages in the engine. Every list is read from its first page to its last; then people decide at an even pace, a thousand at once, and ten thousand times about the same one. The time to the start of apply is from sending the decision to the capability's first line, in another process.",
};

const head = `# Proof

What was tried to break Paraph, and what it measures. Made by \`npm run proof\` from the result files in
[docs/proof/](proof/); the machine is small and shared, so compare ratios before absolutes.

A run counts only because an **independent oracle** says so: a process of its own, with its own fsynced file, records
every effect it is asked for and knows nothing of the ledger. After the run a checker holds oracle, ledger and the
callers' own log against one another: acknowledged means kept; at most one effect per call (a *natural* contract may
repeat one whose end nobody saw); an intent before every effect; an approval of exactly what was done wherever policy
asked; no effect where the outcome says none; one outcome, one receipt that verifies and tells the story of the rows;
locks never shared; no effect before a check that was wanted has passed; a superseded call has exactly one successor,
approved by votes of its own within the deadline it found; a plan takes each step once, none that was declined, ends after
them, names their receipts, and goes back the way it came; a covered step is what was shown to those who approved the whole;
a finding only about an unknown outcome, once, signed; every
webhook told at least once, the same whenever it is repeated; grants spent and money counted to the unit;
*unknown* only where nobody could know. A broken rule is shown with the call's timeline, and its
history can be judged again: \`npm run lab -- judge FILE\`.`;

const tail = `## What is not covered

- Network partitions between hosts, one-way losses, slow and full disks: everything here runs on one machine's loopback.
- The clock leaps in a run of its own, not while processes are killed.
- Rolling upgrades between versions, and runs of hours.
- A process frozen past its own deadline between its last look and its request can still act after it thaws; keys and
  conditional effects make that harmless, a contract with idempotency \`none\` cannot. Storms freeze processes, and the
  checker allows nothing for it: no such case has been seen yet.`;

writeFileSync(page, `${text()}\n`);

function text(): string {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort();
  const read = (name: string) => JSON.parse(readFileSync(folder + name, "utf8"));
  const labs = Object.keys(lab)
    .filter((name) => names.includes(`${name}.json`))
    .map((name) => labSection(name, read(`${name}.json`)));
  const benches = names.filter((name) => name.startsWith("bench-")).map((name) => benchSection(read(name)));
  return [head, ...labs, ...benches, tail].join("\n\n");
}

function labSection(name: string, file: LabFile): string {
  const rows = Object.entries(file.figures).map(([figure, value]) => `| ${figure} | ${value} |`);
  const verdict =
    file.violations.length === 0
      ? "**0 violations.**"
      : `**${file.violations.length} violations:** ${file.violations.map(({ rule, what }) => `${rule}: ${what}`).join("; ")}.`;
  return [
    `## ${name}`,
    lab[name],
    `${verdict} \`${file.command}\`, seed ${file.seed}, ${file.at.slice(0, 16)} UTC, ${where(file.machine)}.`,
    ["| figure | |", "| --- | --- |", ...rows].join("\n"),
  ].join("\n\n");
}

function benchSection(file: BenchFile): string {
  const rows = file.targets.map(
    ({ what, aim, measured, met }) =>
      `| ${what} | ${aim} | ${measured} | ${met === undefined ? "" : met ? "met" : "missed"} |`,
  );
  const { name, performed, machine, othersCores } = file;
  const others =
    othersCores === undefined
      ? ""
      : `, load average before ${machine.loadBefore}, others took ${othersCores.toFixed(2)} of ${machine.cores} cores meanwhile`;
  return [
    `## bench: ${name}${performed === undefined ? "" : `, performed ${performed}`}`,
    bench[name],
    `\`npm run bench -- ${name}\`, ${file.at.slice(0, 16)} UTC, ${where(machine)}, PostgreSQL ${machine.postgres}${others}.${file.conditions === undefined ? "" : ` ${file.conditions}`}`,
    ["| target | aim | measured | |", "| --- | --- | --- | --- |", ...rows].join("\n"),
  ].join("\n\n");
}

function where({ cpu, cores, memoryGiB, node, restate, commit, fdatasync }: Machine): string {
  return `${cores} cores (${cpu}), ${memoryGiB} GiB, fdatasync ${fdatasync.p50.toFixed(2)} ms, Node ${node}, Restate ${restate}, commit ${commit.slice(0, 12)}`;
}
