// Scores: exact, one value per field.
import { scoreValue } from '../lib/format';

/** All values of a score in one line. */
export function ScoreText({ score }: { score: string[] | null | undefined }) {
  return <>{score?.map(scoreValue).join(' · ') ?? '–'}</>;
}
