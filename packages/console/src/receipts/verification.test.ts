import { expect, it } from "vitest";
import { createTestReceipt } from "../../../cli/src/testing/test-receipt.ts";
import { readChosenFiles, readPastedKeys } from "./verification.ts";

const { bundle, key } = await createTestReceipt();
const { key: ownKey } = await createTestReceipt();
const own = readPastedKeys(JSON.stringify(ownKey), undefined)!;
const file = (name: string, value: unknown) => new File([JSON.stringify(value)], name);

it("[TRUST 31] keys among receipts do not replace the keys that a person chose before", async () => {
  const files = [file("receipt.json", bundle), file("receipt-2.json", key)];
  const { receipts, keys, faults } = await readChosenFiles(files, own);
  expect(receipts.map(({ name }) => name)).toEqual(["receipt.json"]);
  expect(keys).toBeUndefined();
  expect(faults).toEqual([expect.stringMatching(/^receipt-2\.json contains keys\. /)]);
  expect((await readChosenFiles(files)).keys).toMatchObject({ keys: [key] });
  expect((await readChosenFiles([files[1]!], own)).keys).toMatchObject({ keys: [key] });
});

it("[TRUST 31] a receipt is no file of keys, whatever else it contains", async () => {
  const { receipts, keys } = await readChosenFiles([
    file("receipt.json", { ...bundle, keys: [key], ...key }),
  ]);
  expect([receipts.length, keys]).toEqual([1, undefined]);
});
