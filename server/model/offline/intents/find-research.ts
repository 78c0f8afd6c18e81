import { toRequest } from "./polite.ts";

const web =
  "(?:(?:on|in|through) the (?:web|internet|net)|the (?:web|internet|net)|online|im (?:web|internet|netz)|online|sur (?:internet|le web|le net)|en (?:internet|la web|línea)|su(?:l)? (?:internet|web)|online|в интернете|в сети)";
const rest = "(?<subject>\\S.*)";

/** Whole requests: "I searched for my keys" and "research shows that ..." tell something. */
const forms = [
  `(?:search|do a search|look)(?: ${web})?(?: (?:for|about|on))\\s+${rest}`,
  `search(?: ${web})?\\s+(?!engines?|results?|part(?:y|ies)|terms?|warrants?|is|was|for)${rest}`,
  `(?:look up|google|browse(?: ${web})?(?: for)?|find out(?: about| more about)?|find (?:me )?(?:information|sources|articles|news|facts|something) (?:on|about|for))\\s+${rest}`,
  `(?:do (?:some |a little )?)?research(?: on| into| about)?\\s+(?!is|are|was|were|has|have|had|shows?|showed|says|suggests?|indicates?|found|papers?|group|team|question)${rest}`,
  `(?:what(?:['’]s| is| are) |(?:are there |is there )?any |(?:tell|give|show) me )?(?:the |some )?(?:latest|recent|newest|current|breaking)?\\s*(?:news|headlines|developments|updates?)(?: today)? (?:about|on|of|from|regarding|in|with)\\s+${rest}`,
  `(?:what(?:['’]s| is) |tell me )(?:the )?(?:latest|new|newest)(?: (?:on|about|with|in))\\s+${rest}`,
  `what(?: does| do) (?:${web}|people online) say (?:about|on)\\s+${rest}`,
  `(?:suche?|such mir|google|recherchiere?)(?: mir| mal| bitte)*(?: ${web})?(?: (?:nach|zu|über))?\\s+(?!ist|war)${rest}`,
  `nach\\s+(?<subject>\\S.*?)(?: ${web})?\\s+(?:suchen|googeln|recherchieren)`,
  `(?:schlage?|schau(?:e)?)\\s+(?<subject>\\S.*?)\\s+nach`,
  `finde? heraus[,:]?\\s+${rest}`,
  `(?:was (?:sind|gibt es) )?(?:die |das )?(?:(?:neueste[ns]?|aktuelle[ns]?|letzten)\\s+)?(?:nachrichten|meldungen|neuigkeiten|neues|neueste) (?:zu|über|aus|von|zum|zur)\\s+${rest}`,
  `was sagt (?:das )?(?:web|internet|netz) (?:zu|über|zum|zur)\\s+${rest}`,
  `(?:cherche|cherchez|chercher|recherche|recherchez|rechercher)(?: ${web})?(?: (?:des informations )?sur)?\\s+(?!est|a )${rest}`,
  `(?:trouve|trouver)(?:[- ]moi)? (?:des (?:informations|sources|articles|nouvelles)) (?:sur|à propos de)\\s+${rest}`,
  `renseigne[- ]toi sur\\s+${rest}`,
  `(?:quelles sont )?(?:les )?(?:dernières |récentes )?(?:nouvelles|actualités|actu|infos) (?:sur|de|du|à propos de|concernant)\\s+${rest}`,
  `que (?:dit|disent) (?:internet|le web|le net) (?:de|du|sur|à propos de)\\s+${rest}`,
  `(?:busca|buscar|búscame|búsqueda de|investiga|investigar|averigua|averiguar)(?: ${web})?(?: (?:información|noticias|fuentes))?(?: (?:sobre|acerca de))?\\s+${rest}`,
  `(?:cuáles son )?(?:las )?(?:últimas |recientes )?noticias (?:sobre|de|del|acerca de)\\s+${rest}`,
  `qué dice (?:internet|la web|la red) (?:sobre|de)\\s+${rest}`,
  `(?:cerca|cercare|cercami|ricerca|ricercare|scopri|informati su|fai una ricerca)(?: ${web})?(?: (?:informazioni|notizie))?(?: su(?:l|lla|i|gli|lle)?)?\\s+${rest}`,
  `(?:quali sono )?(?:le )?(?:ultime |recenti )?(?:notizie|novità) (?:su(?:l|lla|i)?|di|riguardo a)\\s+${rest}`,
  `cosa dice (?:internet|il web|la rete) (?:di|del|della|su(?:l|lla)?)\\s+${rest}`,
  `(?:найди|найдите|найти|поищи|поищите|погугли|загугли|узнай|узнайте|исследуй)(?: мне)?(?: ${web})?(?: (?:информацию|новости|статьи|данные))?(?:,? (?:о|об|про|по))?\\s+${rest}`,
  `(?:какие )?(?:последние |свежие )?новости (?:о|об|про|по|из)\\s+${rest}`,
  `что (?:пишут|говорят) (?:${web} )?(?:о|об|про)\\s+${rest}`,
  `(?:上网|在网上|网上)?(?:搜索|搜寻|搜尋|搜一下|搜一搜|搜|查一下|查一查|查查|查找|查询|研究一下|调查)(?:一下)?(?:关于|關於)?\\s*${rest}`,
  `(?:有什么|有哪些)?关于(?<subject>\\S.*?)的?(?:最新)?(?:新闻|消息|资讯|报道)(?:有哪些|是什么)?`,
  `(?<subject>\\S.*?)(?:的)?最新(?:新闻|消息|资讯|进展)(?:是什么|有哪些)?`,
  `(?:ネットで|ウェブで|インターネットで)?(?<subject>\\S.*?)(?:について|を|のことを)?(?:ネットで|ウェブで)?(?:検索して|調べて|調査して|ググって)(?:みて)?(?:くれますか|もらえますか)?`,
  `(?<subject>\\S.*?)(?:について)?の?(?:最新|最近)の?(?:ニュース|情報|動向)(?:は|を|を教えて)?`,
].map((form) => new RegExp(`^${form}$`, "isu"));

const behind = new RegExp(`[\\s,]+${web}$`, "iu");

/** What is to be looked up on the web; undefined when nobody asks for that. */
export const findResearch = (text: string): string | undefined => {
  const request = toRequest(text).replace(/^([\p{L} ]{3,40})[:：]\s*/u, "$1 ");
  for (const form of forms) {
    const subject = form.exec(request)?.groups?.["subject"]?.replace(behind, "").trim();
    if (subject !== undefined && subject !== "") return subject;
  }
  return undefined;
};
