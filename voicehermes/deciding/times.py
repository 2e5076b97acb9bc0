"""Times of day among other words: "le tre e un quarto", "half past ten". Pure.

A speaker may mean either half of the day, so "le tre" is 3:00 as well as 15:00; what is written
in a choice means only itself.
"""

from collections.abc import Sequence
from dataclasses import replace

from voicehermes.deciding.tokens import Token, longest
from voicehermes.lexicon.numbers import NumberWords

_NOON, _HALF = 12, 30
_HOURS = range(25)
_MINUTES = range(60)
_TWO_DIGITS = range(10, 60)
"""Minutes that may follow an hour directly: "ten thirty". A lower number counts something else."""


def read_times(
    tokens: Sequence[Token], words: NumberWords, *, is_spoken: bool
) -> tuple[Token, ...]:
    """The tokens with each time as one of them.

    "alle", "dieci", "e", "mezza" becomes "alle", "dieci e mezza" (10:30, spoken: or 22:30).
    """
    read: list[Token] = []
    place = 0
    while place < len(tokens):
        time, length = _Reader(tokens, words, is_spoken).at(place)
        read.append(time)
        place += length
    return tuple(read)


def clock(hour: int, minute: int) -> str:
    """A time as a reading: "9:05"; 24:00 is "0:00"."""
    return f"{hour % 24}:{minute:02}"


class _Reader:
    """Reads the time at one place of the tokens."""

    def __init__(self, tokens: Sequence[Token], words: NumberWords, is_spoken: bool) -> None:
        self._tokens, self._words, self._is_spoken = tokens, words, is_spoken

    def at(self, place: int) -> tuple[Token, int]:
        """The token there, as a time if it is one, and how many tokens it takes."""
        return (
            self._minutes_first(place)
            or self._written(place)
            or self._hour_first(place)
            or (self._tokens[place], 1)
        )

    def _minutes_first(self, place: int) -> tuple[Token, int] | None:
        """ "half past ten", "twenty to three"."""
        minutes, end = self._minutes(place)
        if minutes is None or end >= len(self._tokens):
            return None
        link = self._tokens[end].text
        hours = self._hours(end + 1)
        if not hours or link not in self._words.past_first | self._words.before_first:
            return None
        minute = minutes if link in self._words.past_first else -minutes
        return self._time(place, end + 2, hours, minute)

    def _written(self, place: int) -> tuple[Token, int] | None:
        """ "10:30", which is one token already."""
        token = self._tokens[place]
        times = [reading for reading in token.readings if ":" in reading]
        if not times:
            return None
        hour, minute = map(int, times[0].split(":"))
        time, length = self._time(place, place + 1, self._halves(hour), minute)
        return replace(time, readings=time.readings | (token.readings - set(times))), length

    def _hour_first(self, place: int) -> tuple[Token, int] | None:
        """ "dieci e mezza", "le quindici", "mezzogiorno", "three pm"."""
        hours = self._hours(place)
        if not hours:
            return None
        is_announced = place > 0 and self._tokens[place - 1].text in self._words.at
        minute, end = self._minutes_behind(place + 1, is_announced=is_announced)
        time, length = self._time(place, end, hours, minute)
        token = self._tokens[place]
        if length > 1:
            return self._with_decimal(time, token, self._tokens[place + 1]), length
        if is_announced or token.number is None:
            return replace(time, readings=time.readings | token.readings), 1
        if self._is_spoken:
            return replace(token, readings=time.readings | token.readings), 1
        return None

    def _with_decimal(self, time: Token, hour: Token, then: Token) -> Token:
        """Ten and a half may be no time; nor may "tre undici", which is a version."""
        readings = set(time.readings)
        if hour.number is None:
            return time
        if then.number is not None:
            readings.add(f"{hour.number}.{then.number}")
        elif self._words.minutes.get(time.text.rpartition(" ")[2]) == _HALF:
            readings.add(f"{hour.number}.5")
        return replace(time, readings=frozenset(readings))

    def _hours(self, place: int) -> tuple[int, ...]:
        """The hours that may be meant there, none if it is no hour."""
        if place >= len(self._tokens):
            return ()
        token = self._tokens[place]
        if token.number is not None:
            return self._halves(token.number) if token.number in _HOURS else ()
        named = self._words.hours.get(token.text)
        return () if named is None else (named,)

    def _halves(self, hour: int) -> tuple[int, ...]:
        """That hour, and the other one that the same word says."""
        return (hour, hour + _NOON) if self._is_spoken and 0 < hour <= _NOON else (hour,)

    def _minutes_behind(self, place: int, *, is_announced: bool) -> tuple[int, int]:
        """The minutes after an hour, negative when they are missing, and where they end."""
        if place >= len(self._tokens):
            return 0, place
        link = self._tokens[place].text
        is_linked = link in self._words.past | self._words.before
        minutes, end = self._minutes(place + is_linked)
        if minutes is None:
            return 0, place
        is_number = self._tokens[place + is_linked].number == minutes
        if link in self._words.before:
            return -minutes, end
        if is_number and not (self._is_spoken or is_linked):
            return 0, place
        if is_number and minutes not in _TWO_DIGITS and not (is_announced and is_linked):
            return 0, place
        return minutes, end

    def _minutes(self, place: int) -> tuple[int | None, int]:
        """The minutes there, and where they end."""
        named = longest(self._tokens, place, self._words.minutes)
        if named:
            return self._words.minutes[named], place + len(named.split())
        number = self._tokens[place].number if place < len(self._tokens) else None
        return (number if number in _MINUTES else None), place + 1

    def _time(self, begin: int, end: int, hours: tuple[int, ...], minute: int) -> tuple[Token, int]:
        """The time token from ``begin``, with the part of the day that may follow at ``end``."""
        sharp = longest(self._tokens, end, self._words.sharp)
        end += len(sharp.split()) if sharp else 0
        morning = longest(self._tokens, end, self._words.morning)
        afternoon = longest(self._tokens, end, self._words.afternoon)
        if part := morning or afternoon:
            end += len(part.split())
            hours = (hours[0] % _NOON + (_NOON if afternoon else 0),)
        text = " ".join(token.text for token in self._tokens[begin:end])
        readings = (clock(hour - (minute < 0), minute % 60) for hour in hours)
        return Token(text, frozenset(readings)), end - begin
