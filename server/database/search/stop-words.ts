import type { SearchLanguage } from './stems.ts';

/** Articles, prepositions, auxiliary verbs and question words, without accents. */
const STOP_WORDS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    en: `a an and are as at be by can could do does did for from had has have how i if in into is it its me my of on or our
      should so than that the their them then there these they this those to was we were what when where which who why will
      with would you your`,
    de: `als am an auf aus bei bin bis da das dass dem den der des die du ein eine einem einen einer eines er es fur haben
      hat ich ihr ihre im in ist kann mein mit nach oder sich sie sind so soll uber um und uns von vor wann warum was wenn
      wer werden wie wir wird wo zu zum zur`,
    fr: `a au aux avec ce ces comment dans de des du elle en est et etre il ils je la le les leur lors mais me mes mon ne
      nous on ou par pas peut pour pourquoi qu quand que quel quelle qui sa se ses son sont sur te ton tu un une vous`,
    es: `a al como con cuando cual de del desde donde el ella en es esta este la las lo los me mi o para pero por porque que
      quien se ser si sin sobre son su sus un una y yo`,
    it: `a al alla che chi come con cosa da dal dei del della di dove e ed gli i il in io la le lo mi nel nella o per perche
      quale quando se si sono su sul un una`,
    pt: `a ao aos as como com da das de do dos e ela ele em eu meu minha na no nos o onde os ou para pela pelo por porque
      qual quando que quem se sem sua um uma`,
    nl: `aan als bij dan dat de die dit door een en er het hoe ik in is kan met mijn naar niet of om op over te tot uit van
      voor waar waarom wanneer wat wie wij word wordt ze zijn`,
  }).map(([language, words]) => [language, new Set(words.split(/\s+/))]),
);

/** Returns whether a word is too frequent in one of the languages to be searched along with other words. */
export const isStopWord = (word: string, languages: readonly SearchLanguage[]): boolean =>
  languages.some((language) => STOP_WORDS.get(language?.slice(0, 2) ?? 'en')?.has(word) ?? false);

/** Question words and particles of scripts without spaces between words, at the start and at the end of a query. */
const UNSPACED_STARTS =
  splitWords(`请问 怎么样 怎么 怎样 如何 为什么 为何 什么是 哪里 能否 是否 可以 請問 怎麼樣 怎麼 怎樣 為什麼 為何 什麼是 哪裡
  能否 可否 どうやって どのように なぜ どうすれば วิธี`);
const UNSPACED_ENDS = splitWords(
  `是什么 什么意思 怎么办 吗 呢 是什麼 什麼意思 怎麼辦 嗎 とは何ですか とは するには ですか ますか คืออะไร อย่างไร`,
);

function splitWords(words: string): string[] {
  return words.split(/\s+/).toSorted((a, b) => b.length - a.length);
}

/** Returns a query in a script without spaces between words without its question words, if there are others. */
export function withoutQuestion(words: readonly string[]): readonly string[] {
  const text = words.join('');
  const start = UNSPACED_STARTS.find((word) => text.startsWith(word)) ?? '';
  const end = UNSPACED_ENDS.find((word) => text.length > start.length && text.endsWith(word)) ?? '';
  let [from, to] = [0, words.length];
  for (let length = 0; length < start.length; from++) {
    length += words[from]?.length ?? start.length;
  }
  for (let length = 0; length < end.length; to--) {
    length += words[to - 1]?.length ?? end.length;
  }
  return from < to ? words.slice(from, to) : words;
}
