import { createViolation, filterPerformed, type HistoryIndex, type Violation } from "./history-index.ts";

/**
 * [O1] [O2] [O4] Checks that every effect was observed once under its own id, and that sequence numbers have no gaps.
 */
export function observedOnce({ oracle, observed }: HistoryIndex): Violation[] {
  if (!observed) return [];
  const happened = filterPerformed(oracle);
  const known = new Map(observed.map(({ id, subject }) => [id, subject]));
  const missed = happened.flatMap(({ call }, n) =>
    known.get(String(n)) === call
      ? []
      : [createViolation("O2", call, `was effect ${n} and was not observed as that`)],
  );
  const invented = observed
    .filter(({ id }) => Number(id) >= happened.length)
    .map(({ subject }) => createViolation("O1", subject, "was observed and never happened"));
  const gaps = observed
    .filter(({ seq }, n) => seq !== n + 1)
    .map(({ subject, seq }) =>
      createViolation("O4", subject, `has the number ${seq}, which is out of order`),
    );
  const twice = observed.length - known.size;
  return [
    ...[...missed, ...invented, ...gaps],
    ...(twice > 0 ? [createViolation("O1", "observations", `${twice} were written twice`)] : []),
  ];
}
