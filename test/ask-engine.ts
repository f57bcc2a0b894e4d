/** What the engine answers to a query of its own tables, as JSON. */
export async function askEngine(adminUrl: string, query: string): Promise<string> {
  const response = await fetch(new URL("/query", adminUrl), {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ query }),
  });
  return response.text();
}
