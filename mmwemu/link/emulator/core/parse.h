// Strict readers of words and numbers; an error quotes the text and says which values are accepted.

#pragma once

#include <charconv>
#include <initializer_list>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace mmwemu {

/// Return a text in quotes, its end cut off if it is long: an answer to the parent must fit in one message.
inline std::string quoted(std::string_view text) {
    constexpr std::size_t kMost = 80;
    std::string result = "'";
    return result.append(text.substr(0, kMost)).append(text.size() > kMost ? "...'" : "'");
}

/// Return the parts of a text between separators; n separators make n + 1 parts.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

/// Return the number that is all of `text`; throws std::invalid_argument if it is not from `low` to `high`.
template <typename Number>
Number parse_number(std::string_view text, Number low, Number high) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size() && value >= low && value <= high) return value;
    std::ostringstream problem;
    problem << quoted(text) << " is not a " << (std::is_integral_v<Number> ? "whole " : "") << "number from " << low
            << " to " << high;
    throw std::invalid_argument(problem.str());
}

/// Return the value whose word is `text`; throws std::invalid_argument if no word is.
template <typename Value>
Value parse_choice(std::string_view text, std::initializer_list<std::pair<std::string_view, Value>> choices) {
    std::string words;
    for (const auto& [word, value] : choices) {
        if (text == word) return value;
        words += (words.empty() ? "" : ", ") + std::string(word);
    }
    throw std::invalid_argument(quoted(text) + " is none of " + words);
}

}  // namespace mmwemu
