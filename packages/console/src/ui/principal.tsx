import { Bot, Server } from "lucide-react";
import { Foreign } from "../lib/foreign.tsx";

/** Shows a person by initials, and an agent or service by an icon, before the name. */
export function PrincipalName({
  id,
  kind,
}: {
  readonly id: string;
  readonly kind: "agent" | "person" | "service";
}) {
  return (
    <span className="inline-flex min-w-0 items-center gap-2">
      <Avatar id={id} kind={kind} />
      <span className="font-semibold">
        <Foreign text={id} />
      </span>
    </span>
  );
}

export function Avatar({ id, kind }: { readonly id: string; readonly kind: "agent" | "person" | "service" }) {
  if (kind !== "person") {
    const Icon = kind === "agent" ? Bot : Server;
    return (
      <span className="grid size-6 flex-none place-items-center rounded-control bg-ink-soft text-ink">
        <Icon size={15} aria-hidden="true" />
      </span>
    );
  }
  return (
    <span
      aria-hidden="true"
      className="grid size-6 flex-none place-items-center rounded-full border border-line bg-sunken text-[11px] font-semibold"
    >
      {initials(id)}
    </span>
  );
}

function initials(id: string): string {
  const letters = id.match(/[\p{L}\p{N}]+/gu)?.slice(0, 2) ?? [];
  return letters.length > 1
    ? letters
        .map((word) => word.at(0))
        .join("")
        .toUpperCase()
    : (letters[0] ?? "?").slice(0, 2).toUpperCase();
}
