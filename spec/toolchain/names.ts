/** Returns a word with a capital first letter. */
export const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Returns a word with a small first letter. */
export const uncapitalize = (word: string): string => word.charAt(0).toLowerCase() + word.slice(1);

/** Returns a name, with the first number from 2 that makes it unique if it is used. */
export function unusedName(name: string, isUsed: (name: string) => boolean): string {
  let unused = name;
  for (let number = 2; isUsed(unused); number += 1) {
    unused = `${name}${number}`;
  }
  return unused;
}
