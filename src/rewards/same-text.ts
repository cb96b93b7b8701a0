/** Whether two short answers are the same but for case, accents' encoding, punctuation, articles and spacing. */
export function sameText(a: string, b: string): boolean {
  return normalised(a) === normalised(b);
}

function normalised(text: string): string {
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/(?<=\d)[.,](?=\d)/g, '\u0000') // the point in 2.5 is no punctuation
    .replace(/[^\p{L}\p{N}\u0000]+/gu, ' ')
    .replaceAll('\u0000', '.')
    .split(' ')
    .filter((word) => word !== '' && !['a', 'an', 'the'].includes(word));
  return words.join(' ');
}
