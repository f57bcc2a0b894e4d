// Applies or undoes edits in a process of its own that is killed, as by a power cut, before one of its steps.
import { applyEdits } from "../apply.ts";
import { type Disk, realDisk } from "../disk.ts";
import { undoEdits } from "../undo.ts";
import { editsOf } from "./edits-of.ts";

const [what, journal = "", step = "", ...paths] = process.argv.slice(2);
let left = Number(step);

const killing = Object.fromEntries(
  Object.entries(realDisk).map(([name, act]) => [
    name,
    (...args: never[]) => {
      if (left-- === 0) process.kill(process.pid, "SIGKILL");
      return (act as (...args: never[]) => Promise<void>)(...args);
    },
  ]),
) as unknown as Disk;

if (what === "apply") await applyEdits(journal, await editsOf(paths), killing);
else await undoEdits(journal, killing);
