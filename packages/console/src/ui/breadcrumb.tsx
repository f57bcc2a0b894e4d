import { Fragment, type ReactNode } from "react";

/** The way from a list to a page: the links to the pages above it, and its name. */
export function Breadcrumb({
  links,
  name,
}: {
  readonly links: readonly ReactNode[];
  readonly name: ReactNode;
}) {
  return (
    <nav
      aria-label="Breadcrumb"
      className="flex h-13 items-center gap-2 text-sm text-muted [&_a]:min-w-0 [&_a]:truncate [&_a]:hover:text-text max-md:[&_a]:min-h-11 max-md:[&_a]:content-center"
    >
      {links.map((link, depth) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the links of a page never move
        <Fragment key={depth}>{link} /</Fragment>
      ))}
      <span className="truncate text-text">{name}</span>
    </nav>
  );
}
