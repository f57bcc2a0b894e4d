import { Ban, type LucideIcon, UserCheck, Zap } from "lucide-react";
import type { PreviewResult } from "../api/types.ts";
import { ChangeBlock } from "../approval/change-block.tsx";
import { Sentence } from "../lib/foreign.tsx";
import { Notice } from "../ui/states.tsx";

const rulings: Record<
  PreviewResult["ruling"],
  readonly [LucideIcon, "waiting" | "failed" | "plain", string]
> = {
  allow: [Zap, "plain", "It takes effect at once."],
  check: [UserCheck, "waiting", "Checks run first."],
  ask: [UserCheck, "waiting", "It waits for approval."],
  block: [Ban, "failed", "Policy refuses it."],
};

/** Shows a call's preview and policy's expected ruling. */
export function PreviewBlock({ result }: { readonly result: PreviewResult }) {
  const { preview, ruling, sentence, fault, guards = [] } = result;
  if (fault)
    return (
      <Notice tone="failed" icon={Ban} isAlert>
        <Sentence text={fault.message} />
      </Notice>
    );
  const [Icon, tone, title] = rulings[ruling];
  return (
    <>
      {preview && (
        <ol aria-label="What it will do" className="card max-h-80 divide-y divide-line overflow-y-auto">
          {preview.changes.map((change, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the changes of one preview never move
            <li key={index}>
              <ChangeBlock change={change} />
            </li>
          ))}
        </ol>
      )}
      <Notice tone={tone} icon={Icon}>
        <strong className="font-semibold">{title}</strong>{" "}
        {ruling !== "allow" &&
          [...new Set(guards.length > 0 ? guards.map((guard) => guard.sentence) : [sentence])].map((text) => (
            <Sentence key={text} text={`${text} `} />
          ))}
      </Notice>
    </>
  );
}
