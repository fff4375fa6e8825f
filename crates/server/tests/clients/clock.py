"""Sessions and when they expire."""


class Session:
    def __init__(self, end):
        self.end = end

    def expire(self, now):
        return now > self.end


def sessions_expire(sessions, now):
    return [session for session in sessions if session.expire(now)]
