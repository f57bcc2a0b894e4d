import type { ReactNode } from "react";

/** The names of the columns of a table. Small screens show none, because a row is one cell there. */
export function TableHead({
  columns,
  hiddenBelow,
}: {
  readonly columns: readonly (readonly [name: ReactNode, className: string])[];
  readonly hiddenBelow: "md" | "lg";
}) {
  return (
    <thead className={`text-xs text-muted ${hiddenBelow === "md" ? "max-md:sr-only" : "max-lg:sr-only"}`}>
      <tr className="border-b border-line">
        {columns.map(([name, className], index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the columns of one table never move
          <th key={index} scope="col" className={`py-2 font-medium ${className}`}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}
