import { expect, it } from "vitest";
import { readProblem } from "./paraph-problem.ts";

it.each([
  [502, /proxy .* cannot reach Paraph\./],
  [504, /proxy .* cannot reach Paraph\./],
  [500, /^The server answered 500\.$/],
])("an answer %d without a problem becomes one that says who answered", async (status, detail) => {
  const problem = await readProblem(new Response("<html>Bad gateway</html>", { status }));
  expect(problem).toMatchObject({ code: `http-${status}`, status, message: expect.stringMatching(detail) });
});
