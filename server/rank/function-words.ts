/** Words that carry a sentence and not its subject, as `toTerms` writes them: English, German, French, Spanish, Italian, Dutch. */
export const functionWords: ReadonlySet<string> = new Set(
  (
    "a about after all also am an and any are as at be because been before being but by can could did do does doing for " +
    "from had has have having he her here hers him his how i if in into is it its just let me more most my no nor not of " +
    "on only or other our out over please s she should so some such t tell than that the their them then there these " +
    "they this those to too under until up very was we were what when where which while who whom whose why will with " +
    "would you your " +
    "aber als am an auch auf aus bei bin bis bitte da das dass dem den der des die doch du ein eine einem einen einer " +
    "eines er es fur hat hatte ich ihr im in ist ja kann kein keine man mich mir mit nach nicht noch nur oder sein sich " +
    "sie sind so uber um und uns unter vom von vor war waren warum was welche welcher wenn wer wie wird wo zu zum zur " +
    "au aux avec ce ces cette comme dans de des du elle en est et etre il ils je la le les leur lui mais ne nous on ou " +
    "par pas pour qu que quel quelle qui sa sans ses son sont sur un une vous " +
    "al como con cual de del donde el ella en entre es esta este esto fue ha hay la las lo los mas mi muy no o para pero " +
    "por porque que quien se ser si sin sobre son su sus un una y yo " +
    "che chi con da dei della delle di e gli il la le ma mi nel nella non o per piu se sono su un uno " +
    "dat de deze die dit een en er het hij ik is je maar met naar niet of om op te tot uit van voor waar wat wie wij zij zijn"
  ).split(" "),
);
