import type { Client, Tool } from "@modelcontextprotocol/client";
import { expect } from "vitest";
import { callUntilDone, type Feature, readAnswerText } from "./feature.ts";
import { manyCount } from "./fixture.ts";

/** Tests that the tools, resources and prompts of servers pass through unchanged. */
export const offerFeatures: readonly Feature[] = [
  {
    name: "list",
    run: async (column, { everything, files }) => {
      const own = (await everything.listTools()).tools.filter(
        ({ execution }) => execution?.taskSupport !== "required",
      );
      const through = (await (await column.connect("everything")).listTools()).tools;
      expect(through.filter(({ name }) => name !== "wait_for_call").map(toShape)).toEqual(
        own.map(toShape).sort(compareBy("name")),
      );
      const all = await (await column.connect(undefined)).listTools();
      const disk = all.tools.filter(({ name }) => name.startsWith("files_")).map(toShape);
      const direct = (await files.listTools()).tools.map((one) => ({
        ...toShape(one),
        name: `files_${one.name}`,
      }));
      // Policy runs checks, and a person chooses prompts, so neither is a tool.
      expect(all.tools.filter(({ name }) => /^check_|_prompt_/.test(name))).toEqual([]);
      expect(disk.filter(({ name }) => name !== "files_read_resource")).toEqual(
        direct.sort(compareBy("name")),
      );
    },
  },
  {
    name: "call",
    run: async (column, { everything, files, root }) => {
      const through = await column.connect("everything");
      const echo = { message: column.name };
      expect((await callUntilDone(through, "echo", echo)).content).toEqual(
        (await callUntilDone(everything, "echo", echo)).content,
      );
      const path = { path: `${root}/a.txt` };
      expect(
        (await callUntilDone(await column.connect(undefined), "files_read_text_file", path)).content,
      ).toEqual((await callUntilDone(files, "read_text_file", path)).content);
    },
  },
  {
    name: "structured content",
    run: async (column, { everything }) => {
      const city = { location: "Chicago" };
      const answer = await callUntilDone(await column.connect("everything"), "get-structured-content", city);
      const direct = await callUntilDone(everything, "get-structured-content", city);
      expect(answer).toMatchObject({ content: direct.content, structuredContent: direct.structuredContent });
    },
  },
  {
    name: "text and pictures",
    run: async (column, { everything }) => {
      const { content } = await callUntilDone(await column.connect("everything"), "get-tiny-image");
      expect(content).toEqual((await callUntilDone(everything, "get-tiny-image")).content);
      expect(content.map(({ type }) => type)).toContain("image");
    },
  },
  {
    name: "error result",
    run: async (column) => {
      const answer = await callUntilDone(await column.connect(column.misbehavingServer), "fail", {
        message: "no such page",
      });
      expect(answer.isError).toBe(true);
      expect(readAnswerText(answer)).toContain("no such page");
    },
  },
  {
    name: "resources",
    run: async (column, { everything }) => {
      const through = await column.connect("everything");
      const { resources } = await through.listResources();
      expect(resources).toEqual((await everything.listResources()).resources.sort(compareBy("uri")));
      const { uri } = resources[0]!;
      expect((await through.readResource({ uri })).contents).toEqual(
        (await everything.readResource({ uri })).contents,
      );
    },
  },
  {
    name: "resource templates",
    run: async (column, { everything }) => {
      const through = await column.connect("everything");
      const { resourceTemplates } = await through.listResourceTemplates();
      expect(resourceTemplates).toEqual(
        (await everything.listResourceTemplates()).resourceTemplates.sort(compareBy("uriTemplate")),
      );
      const uri = "demo://resource/dynamic/text/7";
      const { contents } = await through.readResource({ uri });
      // The text contains the time at which it was generated.
      expect(contents).toMatchObject([
        { uri, mimeType: "text/plain", text: expect.stringContaining("Resource 7") },
      ]);
    },
  },
  {
    name: "prompts",
    run: async (column, { everything }) => {
      const through = await column.connect("everything");
      expect((await through.listPrompts()).prompts).toEqual(
        (await everything.listPrompts()).prompts.sort(compareBy("name")),
      );
      const prompt = { name: "args-prompt", arguments: { city: "Graz" } };
      expect((await through.getPrompt(prompt)).messages).toEqual(
        (await everything.getPrompt(prompt)).messages,
      );
    },
  },
  {
    name: "pages of a list",
    run: async (column) => {
      const many = await column.connect("many");
      expect(await countPages(many)).toEqual([200, manyCount - 200]);
    },
  },
];

/**
 * Returns a tool in the form that its client knows. If the output schema has the pending result as an alternative, that
 * alternative is left out.
 */
function toShape({ name, title, description, inputSchema, outputSchema, annotations }: Tool) {
  const { anyOf = [outputSchema] } = (outputSchema ?? {}) as { readonly anyOf?: readonly object[] };
  const { $schema: _dialect, ...output } = { ...anyOf[0] } as Record<string, unknown>;
  return { name, title, description: description ?? "", inputSchema, output, annotations };
}

function compareBy<K extends string>(key: K) {
  return (one: { readonly [key in K]: string }, other: { readonly [key in K]: string }): number =>
    one[key] < other[key] ? -1 : 1;
}

/** Returns the number of resources on each page. */
async function countPages(client: Client): Promise<number[]> {
  const counts: number[] = [];
  let cursor: string | undefined;
  do {
    const params = cursor === undefined ? {} : { cursor };
    const { resources, nextCursor } = await client.request({ method: "resources/list", params });
    counts.push(resources.length);
    cursor = nextCursor;
  } while (cursor !== undefined);
  return counts;
}
