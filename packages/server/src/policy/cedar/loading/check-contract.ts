import { type Contract, checkInput, incompatibilities, type JsonObject } from "@paraph/core";
import { z } from "zod";

const checkInputSchema: JsonObject = JSON.parse(
  JSON.stringify(z.toJSONSchema(checkInput, { io: "input", target: "draft-2020-12" })),
);

/** Whether the capability can serve as a check: it only reads, and accepts the input of a check. */
export function isCheck(contract: Contract): boolean {
  return (
    contract.effect === "read" &&
    incompatibilities({ ...contract, input: checkInputSchema }, contract).length === 0
  );
}
