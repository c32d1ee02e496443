/** Minimum number of letters in a word for correcting typos. */
export const MIN_CORRECTED_CHARACTERS = 5;

/** Letters of scripts, without accents. The first one with all letters of a word applies; others are not corrected. */
const ALPHABETS = [
  'abcdefghijklmnopqrstuvwxyz',
  'abcdefghijklmnopqrstuvwxyzßæøœłđı',
  'абвгдежзиклмнопрстуфхцчшщъыьэюяієґ',
  'αβγδεζηθικλμνξοπρσςτυφχψω',
  'ابتثجحخدذرزسشصضطظعغفقكلمنهويةىءأإآؤئ',
  'אבגדהוזחטיכךלמםנןסעפףצץקרשת',
];

/** Returns the alphabet of a word if typos can be corrected in it; undefined otherwise. */
export function alphabetOf(word: string): string | undefined {
  return ALPHABETS.find((alphabet) => [...word].every((letter) => alphabet.includes(letter)));
}

/**
 * Returns the words that differ from a word in one letter: a letter is missing, added or different, or two adjacent
 * letters are exchanged.
 *
 * @param end the end of the differing index range, exclusive; the length of the word plus one by default
 */
export function neighborsOf(word: string, alphabet: string, end = word.length + 1): string[] {
  const neighbors = new Set<string>();
  for (let at = 0; at < end; at++) {
    const [before, rest] = [word.slice(0, at), word.slice(at + 1)];
    const [letter, next] = [word.charAt(at), word.charAt(at + 1)];
    neighbors.add(before + rest);
    if (next !== '') {
      neighbors.add(before + next + letter + word.slice(at + 2));
    }
    for (const other of alphabet) {
      neighbors.add(before + other + letter + rest);
      if (letter !== '') {
        neighbors.add(before + other + rest);
      }
    }
  }
  neighbors.delete(word);
  neighbors.delete('');
  return [...neighbors];
}

/** Returns whether a word is one of the neighbors of another. */
export function areNeighbors(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) {
    start++;
  }
  const [restOfA, restOfB] = [a.slice(start), b.slice(start)];
  if (a === b) {
    return false;
  }
  return (
    restOfA.slice(1) === restOfB ||
    restOfA === restOfB.slice(1) ||
    restOfA.slice(1) === restOfB.slice(1) ||
    (restOfA.slice(2) === restOfB.slice(2) && restOfA[0] === restOfB[1] && restOfA[1] === restOfB[0])
  );
}
