/** Whether two short answers are the same but for case, accents' encoding, punctuation, articles and spacing. */
export function sameText(a: string, b: string): boolean {
  return normalised(a) === normalised(b);
}

function normalised(text: string): string {
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/(?<=\d),(?=\d)/g, '.')
    .replace(/(?<!\d)\.|\.(?!\d)|[^\p{L}\p{N}.]+/gu, ' ') // the point in 2.5 is no punctuation
    .split(' ')
    .filter((word) => word !== '' && !['a', 'an', 'the'].includes(word));
  return words.join(' ');
}
