import { isQuestion, toRequest } from "./polite.ts";
import { wishFor, type Wish } from "./wish.ts";

const later =
  "right now|now|today|tonight|tomorrow|this (?:week|weekend|morning|evening|afternoon)|next week|for the next \\d+ days" +
  "|jetzt|heute(?: abend)?|morgen|diese woche|am wochenende|aujourd['’]hui|demain|maintenant|ce soir|cette semaine" +
  "|hoy|mañana|ahora|esta semana|oggi|domani|adesso|stasera|questa settimana|сегодня|завтра|сейчас|на (?:этой )?неделе";
const place = `(?<place>[\\p{L}\\p{N}][\\p{L}\\p{N} .,'’()-]{0,98}?)(?:[ ,]+(?:${later}))*`;
const when = `(?:(?:${later})[ ,]+)*`;
const whole = (...forms: readonly string[]): readonly RegExp[] => forms.map((form) => new RegExp(`^${form}$`, "iu"));

/** Whole requests, so that a word about the weather in a story is none. */
const withPlace = whole(
  `(?:(?:what(?:['’]s| is| will)?|how(?:['’]s| is| will)?|tell me|show me|give me|check|get|look up)\\s+)?(?:is |be )?(?:the |me the )*(?:current )?(?:weather|forecast|temperature)(?: forecast| report)?(?: be)?(?: like)?\\s+${when}(?:in|for|at|of|near)\\s+${place}`,
  `(?:what|how)(?: will|['’]s| is)? the (?:weather|temperature)(?: be)?(?: like)?\\s+${when}(?:in|for|at)\\s+${place}`,
  `(?:will it|is it|does it|is it going to)\\s+(?:be )?(?:\\p{L}+ ){0,2}?(?:rain|raining|snow|snowing|hot|cold|warm|sunny|windy|freez\\p{L}+|storm\\p{L}*)\\s+${when}(?:in|at)\\s+${place}`,
  `how (?:hot|cold|warm|windy) (?:is|will) it(?: be)?\\s+${when}(?:in|at)\\s+${place}`,
  `(?:do|should) i need an umbrella\\s+${when}in\\s+${place}`,
  `(?:wie (?:ist|wird|wäre) )?(?:${later})?\\s*(?:das )?(?:wetter|wettervorhersage|temperatur)(?: wird| ist)?\\s+${when}(?:in|für|bei|von)\\s+${place}`,
  `(?:regnet|schneit) es\\s+${when}(?:in|bei)\\s+${place}`,
  `wie (?:warm|kalt|heiß) (?:ist|wird) es\\s+${when}(?:in|bei)\\s+${place}`,
  `(?:quel(?:le)? )?(?:temps (?:fait|fera)[- ]t?[- ]?il|(?:est )?(?:la |le )?(?:météo|temps|température|prévisions))\\s+${when}(?:à|a|en|au|pour|de|sur)\\s+${place}`,
  `(?:est[- ]ce qu['’]il pleut|pleut[- ]il|va[- ]t[- ]il pleuvoir)\\s+${when}(?:à|en|au)\\s+${place}`,
  `(?:(?:qué|que|cuál es|cómo está)\\s+)?(?:(?:el|la)\\s+)?(?:tiempo(?: hace| hará)?|clima|pronóstico(?: del tiempo)?|temperatura)(?: hace| hay)?\\s+${when}(?:en|para|de)\\s+${place}`,
  `(?:llueve|va a llover|lloverá)\\s+${when}en\\s+${place}`,
  `(?:(?:che|com['’]è|qual è|quali sono)\\s+)?(?:(?:il|la|le)\\s+)?(?:tempo (?:fa|farà)|tempo|meteo|previsioni(?: meteo| del tempo)?|temperatura)\\s+${when}(?:a|in|per|di|ad)\\s+${place}`,
  `(?:piove|pioverà)\\s+${when}(?:a|in|ad)\\s+${place}`,
  `(?:(?:какая|как|скажи|покажи)\\s+)?(?:будет\\s+)?${when}(?:погод[аыу]|прогноз(?: погоды)?|температура)(?: будет)?\\s+${when}(?:в|во|на|для)\\s+${place}`,
  `(?:идёт|идет|будет)(?: ли)? дождь\\s+${when}(?:в|во|на)\\s+${place}`,
  `(?:今天|明天|现在|后天|这周)?(?<place>[\\p{Script=Han}\\p{L}]{2,20}?)(?:今天|明天|现在|后天|这周)?的?(?:天气|天氣|气温)(?:预报)?(?:如何|怎么样|怎麼樣|怎样|是多少|好吗)?`,
  `(?:今日|明日|今|現在|今週)?の?(?<place>[\\p{L}ー]{2,20}?)の?(?:今日|明日|今|現在|今週)?の?(?:天気|気温|天気予報)(?:は|を|は?どう(?:ですか)?|は何度(?:ですか)?|教えて|を教えて)?`,
);

const anyPlace =
  /^(?:what(?:['’]s| is)|how(?:['’]s| is)|will it|wie (?:ist|wird)|quel(?:le)?|qué|que|che|com['’]è|какая)?\s*(?:the |das |la |el |il )?(?:weather|wetter|météo|temps fait[- ]il|tiempo hace|tempo fa|meteo|погода|天气怎么样|天气|天気は?)(?: like| forecast)?(?:\s+(?:today|tomorrow|now|heute|morgen|hoy|oggi|demain|aujourd['’]hui|сегодня|завтра))*$/iu;

const told = /(?<![\p{L}])(?:was|were|has been|had been|war|waren|était|estuvo|era|faceva|была|было)(?![\p{L}])/iu;
const location = /^location: "((?:[^"\\]|\\.){1,100})"$/m;

/** `system`: where what is remembered of the person stands. */
export const findWeather = (text: string, system: string): Wish | undefined => {
  const request = toRequest(text);
  if (told.test(request) && !isQuestion(text)) return undefined;
  const found = withPlace
    .map((form) => form.exec(request)?.groups?.["place"]?.trim())
    .find((name) => name !== undefined && name !== "");
  if (found !== undefined) return wishFor("weather", { place: found.slice(0, 100) });
  if (!anyPlace.test(request)) return undefined;
  const home = location.exec(system)?.[1];
  if (home !== undefined) return wishFor("weather", { place: home.replace(/\\(.)/g, "$1") });
  return {
    kind: "ask",
    tool: "weather",
    text: "For the weather I need a place. Ask me, for example: *weather in Bergen*.",
  };
};
