// Applies edits in a separate process that kills itself before one of its steps. This simulates a power cut.
import { applyEdits } from "../lib/file-edits/apply.ts";
import { type Disk, realDisk } from "../lib/file-edits/disk.ts";
import { createWholeFileEdits } from "./whole-file-edits.ts";

const [journal = "", step = "", ...paths] = process.argv.slice(2);
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

await applyEdits(journal, await createWholeFileEdits(paths), killing);
