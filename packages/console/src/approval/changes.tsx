import { EyeOff, TriangleAlert } from "lucide-react";
import type { Round } from "../api/types.ts";
import { Foreign, formatJson } from "../lib/foreign.tsx";
import { readSteps } from "../plans/plan-step.ts";
import { StepList } from "../plans/step-list.tsx";
import { Notice } from "../ui/states.tsx";
import { Code } from "./blocks.tsx";
import { ChangeBlock } from "./change-block.tsx";
import { EndMark } from "./end-mark.tsx";

interface ChangesData extends Pick<Round, "preview" | "previewed" | "input" | "masked"> {
  /** The approval whose page can reveal hidden fields. */
  readonly approval?: string;
  readonly title?: string;
}

/** Shows the changes. Without a preview, it shows the whole input and says that the changes are unknown. */
export function Changes({ round }: { readonly round: ChangesData }) {
  const { preview, previewed, input, masked, approval, title = "What will change" } = round;
  const changes = preview?.changes ?? [];
  const steps = readSteps(round);
  return (
    <section aria-labelledby="changes" className="card mt-3 overflow-hidden">
      <div className="flex min-h-11 items-center gap-3 border-b border-line px-3.5 py-2">
        <h2 id="changes" className="font-semibold">
          {title}
        </h2>
        <span className="ml-auto text-sm text-muted">
          {steps ? `${steps.length} steps` : changes.length > 0 ? formatCount(changes.length, "change") : ""}
        </span>
      </div>
      {steps ? (
        <StepList steps={steps} />
      ) : changes.length > 0 ? (
        <ol className="divide-y divide-line">
          {changes.map((change, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the changes of one preview never move
            <li key={index}>
              <ChangeBlock change={change} />
            </li>
          ))}
        </ol>
      ) : (
        <div className="grid gap-3 p-3.5">
          <Notice tone="unknown" icon={TriangleAlert}>
            <strong>The changes are unknown.</strong>{" "}
            {previewed
              ? "You can't see the preview, or it shows no changes."
              : "This capability has no preview."}{" "}
            The whole input:
          </Notice>
          <Code text={input === undefined ? "Erased" : formatJson(input)} />
          <EndMark />
        </div>
      )}
      {masked.length > 0 && (
        <p className="flex flex-wrap items-center gap-2 border-t border-line px-3.5 py-2 text-sm">
          <EyeOff size={16} aria-hidden="true" className="text-muted" />
          <span className="min-w-0 flex-1">
            Hidden:{" "}
            {masked.map((path) => (
              <code key={path} className="mr-2">
                <Foreign text={path} />
              </code>
            ))}
          </span>
          {approval !== undefined && (
            <a href={`/approvals/${approval}?opened=1`} className="link">
              Reveal<span className="sr-only"> on the page without JavaScript</span>
            </a>
          )}
        </p>
      )}
    </section>
  );
}

function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString("en-GB")} ${noun}${count === 1 ? "" : "s"}`;
}
