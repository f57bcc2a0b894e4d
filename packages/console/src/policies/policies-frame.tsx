import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

const tabs = [
  ["/policies", "In force"],
  ["/policies/what-if", "What if"],
  ["/policies/backtest", "Change and backtest"],
] as const;

/** The heading and the tabs of the policies. */
export function PoliciesFrame({
  current,
  children,
}: {
  readonly current: (typeof tabs)[number][0];
  readonly children: ReactNode;
}) {
  return (
    <div className="flex h-full flex-col">
      <header className="flex min-h-13 flex-none flex-wrap items-center gap-x-4.5 border-b border-line px-4 md:px-6">
        <h1 className="text-lg font-semibold">Policies</h1>
        <nav aria-label="Tabs of the policies" className="flex gap-4.5 self-stretch">
          {tabs.map(([path, name]) => (
            <Link
              key={path}
              to={path}
              aria-current={path === current ? "page" : undefined}
              className={`flex items-center font-medium max-md:min-h-11 ${path === current ? "shadow-[inset_0_-2px_0_var(--ink)]" : "text-muted hover:text-text"}`}
            >
              {name}
            </Link>
          ))}
        </nav>
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto">{children}</div>
    </div>
  );
}
