/** Splits a shell script into its simple commands, each as a list of words without quotes. Comments are dropped. */
export function listShellCommands(script: string): string[][] {
  const commands: string[][] = [[]];
  let word: string | undefined;
  let quote = "";
  const endWord = () => {
    if (word !== undefined) commands.at(-1)!.push(word);
    word = undefined;
  };
  for (let index = 0; index < script.length; index++) {
    const character = script[index]!;
    if (quote !== "") {
      if (character === quote) quote = "";
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= "";
    } else if (character === "\\") {
      if (script[++index] !== "\n") word = (word ?? "") + script[index];
    } else if (character === "#" && word === undefined) {
      while (index + 1 < script.length && script[index + 1] !== "\n") index++;
    } else if (/[\n;|&()<>]/.test(character)) {
      endWord();
      // A redirection names a file, which is not an argument of the command.
      commands.push(/[<>]/.test(character) ? ["(redirection)"] : []);
    } else if (/\s/.test(character)) endWord();
    else word = (word ?? "") + character;
  }
  endWord();
  return commands.filter(([first]) => first !== undefined && first !== "(redirection)");
}

/** Returns the arguments of `paraph` in a command such as `PARAPH_KEY=… npx paraph call`, or undefined. */
export function findParaphArguments(command: readonly string[]): readonly string[] | undefined {
  const rest = command.slice(command.findIndex((word) => !/^\w+=/.test(word)));
  const [first, second] = rest;
  if (first === "paraph") return rest.slice(1);
  return first === "npx" && second === "paraph" ? rest.slice(2) : undefined;
}
