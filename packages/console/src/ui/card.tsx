import { type ReactNode, useId } from "react";

/** A titled part of a screen, with a link to the screen that has more. */
export function Card({
  title,
  more,
  children,
}: {
  readonly title: string;
  readonly more?: ReactNode;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="card min-w-0">
      <div className="flex min-h-11 items-center justify-between gap-3 border-b border-line px-3.5">
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        {more}
      </div>
      {children}
    </section>
  );
}
