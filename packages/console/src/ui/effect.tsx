import { Eye, type LucideIcon, PencilLine, Trash2 } from "lucide-react";
import type { Contract } from "../api/types.ts";

const effects: Record<Contract["effect"], readonly [LucideIcon, string, string]> = {
  read: [Eye, "Read", "bg-sunken text-muted"],
  write: [PencilLine, "Write", "bg-ink-soft text-ink"],
  destroy: [Trash2, "Destructive", "bg-critical-soft text-critical"],
};

/** Shows the effect of a capability as a badge. */
export function EffectBadge({ effect }: { readonly effect: Contract["effect"] }) {
  const [Icon, word, color] = effects[effect];
  return (
    <span className={`tag flex-none ${color}`}>
      <Icon size={14} aria-hidden="true" />
      {word}
    </span>
  );
}
